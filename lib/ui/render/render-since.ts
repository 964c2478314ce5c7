import type {
  AnsweredComment,
  CommentFate,
  CommitPair,
  SeenVersion,
  SinceSeen,
} from '../../domain/state/changeset.ts';
import { describeLines } from '../../domain/state/line-range.ts';
import { formatCount } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import type { Style } from '../text/style.ts';
import { visibleDiffLine, visibleLine, visibleText } from '../text/visible-text.ts';

/** Renders changes since the person saw it last, with their remarks and the answers. */
export function renderSince(since: SinceSeen, style: Style, indent = '  '): readonly string[] {
  const wrap = (text: string, more = ''): readonly string[] => wrapText(text, style.width, indent + more);
  return [
    ...wrap(`${describeSeen(since.seen)}: ${describeChange(since)}`).map(style.bold),
    ...describeBase(since).flatMap((text) => wrap(text)),
    ...describeCommits(since.commits).flatMap((text) => wrap(text, '  ')),
    ...since.comments.flatMap((one) => renderAnswer(one, style, indent)),
  ];
}

const became: Readonly<Record<string, string>> = {
  rejected: 'rejected',
  skipped: 'skipped',
  conflict: 'approved, before it conflicted',
  validation_failed: 'failed its validation',
};

/** Describes the versions that the person saw, and their outcomes. */
export function describeSeen(seen: readonly SeenVersion[]): string {
  const versions = seen.map(({ id, commit, became: how, reason }) => {
    const name = id === null ? shortId(commit) : `${visibleLine(id)} (${shortId(commit)})`;
    const why = reason === null || reason === '' ? '' : `, “${visibleLine(reason)}”`;
    return `${name}, ${became[how] ?? visibleLine(how)}${why}`;
  });
  return `Since ${versions.join('; ')}`;
}

/** How much the author changed. */
export function describeChange({ diffstat: { files, insertions, deletions } }: SinceSeen): string {
  if (files === 0) return 'nothing changed';
  return `${formatCount(files, 'file')} changed, +${insertions} −${deletions}`;
}

/** Describes changes of the base, a sentence each. */
export function describeBase({
  isMoved,
  clashes,
}: Pick<SinceSeen, 'isMoved' | 'clashes'>): readonly string[] {
  return [
    ...(isMoved ? ['It has a newer base now; changes from there are left out.'] : []),
    ...(clashes.length === 0
      ? []
      : [
          `${clashes.map(visibleLine).join(', ')}: what landed since changed the same lines, so that is shown too.`,
        ]),
  ];
}

const signs = { same: '=', changed: '!', gone: '<', new: '>' } as const;

/** Commits as `git range-diff` has them; none where each is as it was. */
export function describeCommits(pairs: readonly CommitPair[]): readonly string[] {
  if (pairs.every(({ kind }) => kind === 'same')) return [];
  return pairs.map(({ kind, old, new: made, subject }) => {
    const ids = `${old === null ? '-' : shortId(old)} ${signs[kind]} ${made === null ? '-' : shortId(made)}`;
    return `${ids} ${visibleLine(subject)}`;
  });
}

/** Whether the author did something about what was commented on. */
export function isAnswered(fate: CommentFate): boolean {
  return fate === 'changed' || fate === 'gone' || fate === 'beside';
}

/** Where a comment was made, and what became of its line. */
export function describeCommentFate({ comment, fate, line }: AnsweredComment): string {
  const { path, line: then } = comment;
  const at = `${visibleLine(path)}:${describeLines(comment)}`;
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

function renderAnswer(answered: AnsweredComment, style: Style, indent: string): readonly string[] {
  const { comment, fate, answer } = answered;
  const paint = isAnswered(fate) ? style.green : style.yellow;
  const paintLine = (line: string): string => {
    const text = `${indent}      ${visibleDiffLine(line)}`;
    if (line.startsWith('+')) return style.green(text);
    return line.startsWith('-') ? style.red(text) : style.dim(text);
  };
  return [
    ...wrapText(describeCommentFate(answered), style.width, indent).map(paint),
    ...wrapText(`“${visibleText(comment.text)}”`, style.width, `${indent}    `),
    ...answer.map(paintLine),
  ];
}
