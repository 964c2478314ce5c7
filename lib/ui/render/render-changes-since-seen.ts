import type {
  ChangesSinceSeen,
  CommentFate,
  CommentWithFate,
  RangeDiffPair,
  SeenVersion,
} from '../../domain/state/changeset.ts';
import { renderLineRange } from '../../domain/state/line-range.ts';
import { formatCount } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { toPrintableDiffLine, toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

/** Renders changes since the person saw it last, with their remarks and the answers. */
export function renderChangesSinceSeen(since: ChangesSinceSeen, style: Style): readonly string[] {
  const wrap = (text: string, more = ''): readonly string[] => wrapText(text, style.width, `  ${more}`);
  return [
    ...wrap(`${describeSeen(since.seen)}: ${describeChangeSize(since)}`).map(style.bold),
    ...describeBaseChanges(since).flatMap((text) => wrap(text)),
    ...describeCommitPairs(since.commits).flatMap((text) => wrap(text, '  ')),
    ...since.comments.flatMap((one) => renderAnswer(one, style)),
  ];
}

const became: Readonly<Record<string, string>> = {
  rejected: 'sent back',
  skipped: 'skipped',
  conflict: 'approved, before it conflicted',
  validation_failed: 'failed its validation',
};

/** Describes the versions that the person saw, and their outcomes. */
export function describeSeen(seen: readonly SeenVersion[]): string {
  const versions = seen.map(({ id, commit, became: how, reason }) => {
    const name = id === null ? shortId(commit) : `${toPrintableLine(id)} (${shortId(commit)})`;
    const why = reason === null || reason === '' ? '' : `, “${toPrintableLine(reason)}”`;
    return `${name}, ${became[how] ?? toPrintableLine(how)}${why}`;
  });
  return `Since ${versions.join('; ')}`;
}

/** How much the author changed. */
export function describeChangeSize({ diffstat: { files, insertions, deletions } }: ChangesSinceSeen): string {
  if (files === 0) return 'nothing changed';
  return `${formatCount(files, 'file')} changed, +${insertions} −${deletions}`;
}

/** Describes changes of the base, a sentence each. */
export function describeBaseChanges({
  isMoved,
  clashes,
}: Pick<ChangesSinceSeen, 'isMoved' | 'clashes'>): readonly string[] {
  return [
    ...(isMoved ? ['It has a newer base now; changes from there are left out.'] : []),
    ...(clashes.length === 0
      ? []
      : [
          `${clashes.map(toPrintableLine).join(', ')}: what landed since changed the same lines, so that is shown too.`,
        ]),
  ];
}

const signs = { same: '=', changed: '!', gone: '<', new: '>' } as const;

/** Commits as `git range-diff` has them; none where each is as it was. */
export function describeCommitPairs(pairs: readonly RangeDiffPair[]): readonly string[] {
  if (pairs.every(({ kind }) => kind === 'same')) return [];
  return pairs.map(({ kind, old, new: made, subject }) => {
    const ids = `${old === null ? '-' : shortId(old)} ${signs[kind]} ${made === null ? '-' : shortId(made)}`;
    return `${ids} ${toPrintableLine(subject)}`;
  });
}

/** Whether the author did something about what was commented on. */
export function isCommentAnswered(fate: CommentFate): boolean {
  return fate === 'changed' || fate === 'gone' || fate === 'beside';
}

/** Where a comment was made, and what became of its line. */
export function describeCommentFate({ comment, fate, line }: CommentWithFate): string {
  const { path, line: then } = comment;
  const at = `${toPrintableLine(path)}:${renderLineRange(comment)}`;
  switch (fate) {
    case 'changed':
      return `${at} changed`;
    case 'gone':
      return `${at} was deleted and not replaced`;
    case 'beside':
      return `${at} changed next to the line${line === then ? '' : `, now line ${line}`}`;
    case 'stands':
      return `${at} unchanged${line === null || line === then ? '' : `, now line ${line}`}`;
    case 'overtaken':
      return `${at} changed by what landed since`;
    case 'file-gone':
      return `${at} the file was deleted or renamed`;
    case 'unknown':
      return `${at} this line did not exist`;
  }
}

function renderAnswer(answered: CommentWithFate, style: Style): readonly string[] {
  const { comment, fate, answer } = answered;
  const paint = isCommentAnswered(fate) ? style.green : style.yellow;
  const paintLine = (line: string): string => {
    const text = `        ${toPrintableDiffLine(line)}`;
    if (line.startsWith('+')) return style.green(text);
    return line.startsWith('-') ? style.red(text) : style.dim(text);
  };
  return [
    ...wrapText(describeCommentFate(answered), style.width, '  ').map(paint),
    ...wrapText(`“${toPrintableText(comment.text)}”`, style.width, '      '),
    ...answer.map(paintLine),
  ];
}
