import type { Permission, TrustChange } from '../../domain/state/repository-trust.ts';
import { formatCount, formatTime } from '../../util/format-figures.ts';
import type { Style } from '../text/style.ts';
import { visibleDiffLine, visibleLine } from '../text/visible-text.ts';
import { diffLines } from './render-diff.ts';

/** Renders requests of a repository's files, word for word, and changes of those allowed before. */
export function renderTrust(changes: readonly TrustChange[], style: Style, isAllowed = false): string {
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
      `${style.bold(visibleLine(permission.root))}${isHere ? ' (here)' : ''}, ${formatTime(permission.allowed_at)}: ${formatCount(permission.items.length, 'item')}`,
      `  ${permission.items.map(({ where }) => visibleLine(where)).join(', ')}`,
    ])
    .join('\n');
}

function renderItem(
  { item, change, before }: TrustChange,
  style: Style,
  isWhole: boolean,
): readonly string[] {
  const { where, source, effect, realPath, words, sha256 } = item;
  const origin = source === where ? '' : ` (${visibleLine(source)})`;
  const link = realPath === null ? '' : `; its real path is ${visibleLine(realPath)}`;
  const title = `${style.bold(visibleLine(where))}${origin} ${effect}${link}`;
  if (change === 'same' && !isWhole) return ['', `${title}: as you allowed it`];
  if (words === null) return ['', title, `    not text, or too long to show: sha256 ${sha256}`];
  if (change === 'changed' && before !== null)
    return [
      '',
      `${title}: changed`,
      ...diffLines(linesOf(before), linesOf(words)).map((line) => colored(line, style)),
    ];
  return ['', title, ...linesOf(words).map((line) => `    ${visibleDiffLine(line)}`)];
}

function linesOf(words: string): readonly string[] {
  return words.replace(/\n$/, '').split('\n');
}

function colored(line: string, style: Style): string {
  const text = `  ${visibleDiffLine(line)}`;
  if (line.startsWith('- ')) return style.red(text);
  return line.startsWith('+ ') ? style.green(text) : text;
}
