import { wrapText } from '../../util/format-width.ts';
import { visibleLine, visibleText } from '../text/visible-text.ts';

/** A text of a task that runs, or that an agent reads; see told-to-agents. */
interface Told {
  readonly task: string;
  readonly name: string;
  readonly text: string;
}

/** Each text below its name, every line of it behind a bar: nothing in it looks like a line of this program. */
export function renderTold(told: readonly Told[], width: number): readonly string[] {
  if (told.length === 0) return [];
  return [
    'What would run, or what agents would read:',
    ...told.flatMap(({ task, name, text }) => [
      `  ${visibleLine(task)}, ${name}:`,
      ...wrapText(visibleText(text), width, bar).map((line) => (line === '' ? bar.trimEnd() : line)),
    ]),
  ];
}

const bar = '  │ ';
