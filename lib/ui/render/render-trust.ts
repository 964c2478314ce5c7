import type { Permission, TrustChange } from '../../domain/state/repository-trust.ts';
import { formatCount, formatTime } from '../../util/format-figures.ts';
import { toPrintableDiffLine, toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { compareTextLines } from './render-diff.ts';

/** Renders requests of a repository's files, word for word, and changes of those allowed before. */
export function renderTrustChanges(changes: readonly TrustChange[], style: Style, isAllowed = false): string {
  const isKnown = changes.some(({ change }) => change !== 'new');
  const head = isAllowed
    ? 'You allowed what the files of this repository ask for:'
    : isKnown
      ? 'What this repository asks for has changed since you allowed it:'
      : 'The files of this repository ask for what only you can allow:';
  return [head, ...changes.flatMap((change) => renderItem(change, style, isAllowed))].join('\n');
}

/** Renders permissions, one line each; the first is marked where it is about this repository. */
export function renderPermissions(
  entries: readonly { readonly permission: Permission; readonly isHere: boolean }[],
  style: Style,
): string {
  if (entries.length === 0) return 'Nothing is allowed: you trust no repository.';
  return entries
    .flatMap(({ permission, isHere }) => [
      `${style.bold(toPrintableLine(permission.root))}${isHere ? ' (here)' : ''}, ${formatTime(permission.allowed_at)}: ${formatCount(permission.items.length, 'item')}`,
      `  ${permission.items.map(({ where }) => toPrintableLine(where)).join(', ')}`,
    ])
    .join('\n');
}

function renderItem({ item, change, before }: TrustChange, style: Style, isWhole: boolean): readonly string[] {
  const { where, source, effect, realPath, words, sha256 } = item;
  const origin = source === where ? '' : ` (${toPrintableLine(source)})`;
  const link = realPath === null ? '' : `; its real path is ${toPrintableLine(realPath)}`;
  const title = `${style.bold(toPrintableLine(where))}${origin} ${effect}${link}`;
  if (change === 'same' && !isWhole) return ['', `${title}: as you allowed it`];
  if (words === null) return ['', title, `    not text, or too long to show: sha256 ${sha256}`];
  if (change === 'changed' && before !== null)
    return [
      '',
      `${title}: changed`,
      ...compareTextLines(linesOf(before), linesOf(words)).map((line) => colored(line, style)),
    ];
  return ['', title, ...linesOf(words).map((line) => `    ${toPrintableDiffLine(line)}`)];
}

function linesOf(words: string): readonly string[] {
  return words.replace(/\n$/, '').split('\n');
}

function colored(line: string, style: Style): string {
  const text = `  ${toPrintableDiffLine(line)}`;
  if (line.startsWith('- ')) return style.red(text);
  return line.startsWith('+ ') ? style.green(text) : text;
}
