import type { Style } from '../text/style.ts';
import { visibleDiffLine } from '../text/visible-text.ts';

/** A unified diff with colour, and with nothing in it that a terminal would act on or hide. */
export function renderDiff(diff: string, style: Style): string {
  if (diff === '') return 'No changes.';
  let isHeader = true;
  const lines = diff.replace(/\n$/, '').split('\n');
  return lines
    .map((line) => {
      const text = visibleDiffLine(line);
      if (line.startsWith('diff --git ')) isHeader = true;
      if (line.startsWith('@@')) {
        isHeader = false;
        return style.cyan(text);
      }
      if (isHeader) return style.bold(text);
      if (line.startsWith('+')) return style.green(text);
      return line.startsWith('-') ? style.red(text) : text;
    })
    .join('\n');
}
