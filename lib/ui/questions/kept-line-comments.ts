import { basename } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import { type LineComment, parseLineComment } from '../../domain/state/line-comment.ts';
import { type LineRange, renderLineRange, renderSuggestionComment } from '../../domain/state/line-range.ts';
import { toPrintableDiffLine, toPrintableLine } from '../text/printable-text.ts';
import { askChoice, askLine, type KeyChoice, type TerminalAsking } from './ask-at-terminal.ts';
import type { GateContext } from './gate-context.ts';

type Of = Pick<ChangesetQuestion, 'changeset' | 'session'>;

/** Comments typed at the terminal before a decision: a changeset that is built again is asked about again. */
export interface KeptLineComments {
  /** To be added to. */
  of(question: Of): LineComment[];
  forget(question: Of): void;
}

export function createKeptComments(): KeptLineComments {
  const kept = new Map<string, LineComment[]>();
  const keyOf = ({ changeset, session }: Of): string => `${session.id} ${changeset.id}`;
  return {
    of: (question) => {
      const comments = kept.get(keyOf(question)) ?? [];
      kept.set(keyOf(question), comments);
      return comments;
    },
    forget: (question) => kept.delete(keyOf(question)),
  };
}

/** Says which comments still go along, and which of them have no line in what the changeset is now. */
export async function printKeptComments(
  context: GateContext,
  comments: readonly LineComment[],
  { strayComment }: Pick<ChangesetQuestion, 'strayComment'>,
): Promise<void> {
  if (comments.length === 0) return;
  context.print('These comments are sent when you approve or reject:');
  for (const comment of comments) {
    context.print(toPrintableLine(`  ${comment.path}:${renderLineRange(comment)}: ${comment.text}`));
    const stray = (await strayComment?.(comment)) ?? null;
    if (stray !== null) context.print(toPrintableLine(`  ${stray}`));
  }
}

/** Lines of a file that became others. */
interface EditedLines {
  readonly path: string;
  readonly range: LineRange;
  /** How many they are now. */
  readonly count: number;
}

/** Comments on lines after those that were edited stay with their lines. */
export function moveCommentsAfterEdit(comments: LineComment[], { path, range, count }: EditedLines): void {
  const last = range.to ?? range.line;
  const by = count - (last - range.line + 1);
  const moved = comments.map((comment) => {
    if (comment.path !== path || comment.side !== 'new' || comment.line <= last) return comment;
    const to = comment.to === undefined ? {} : { to: comment.to + by };
    return { ...comment, line: comment.line + by, ...to };
  });
  comments.splice(0, comments.length, ...moved);
}

const strayChoices: readonly KeyChoice<'k' | 'a'>[] = [
  { key: 'k', label: '(k)eep it' },
  { key: 'a', label: '(a)gain' },
];

/** A remark on one line of the change; null: none after all. */
export async function askLineComment(
  asking: TerminalAsking,
  { strayComment }: Pick<ChangesetQuestion, 'strayComment'>,
): Promise<LineComment | null> {
  for (;;) {
    const typed = await askLine(asking, 'Comment, as PATH:LINE TEXT or PATH:LINE-LINE TEXT (Enter: back): ');
    if (typed.trim() === '') return null;
    const comment = parseLineComment(typed);
    const stray = comment === null ? null : ((await strayComment?.(comment)) ?? null);
    if (stray !== null) asking.print(toPrintableLine(stray));
    if (comment !== null && (stray === null || (await askChoice(asking, strayChoices)) === 'k')) return comment;
    if (comment !== null) continue;
    asking.print('Write the file, a colon, the line and your comment: src/a.ts:12 this is never closed');
  }
}

const choices: readonly KeyChoice<'a' | 'b'>[] = [
  { key: 'a', label: '(a)pply as your commit' },
  { key: 'b', label: '(b)ack' },
];

/**
 * Opens lines of a changeset in the person's editor and puts the edit on top of the work as a commit of theirs, since
 * it is their code: the changeset is built again with it. null: nothing is changed, and a refusal is printed.
 */
export async function editChangesetLines(
  context: GateContext,
  asking: TerminalAsking,
  question: Pick<ChangesetQuestion, 'changeset' | 'linesOf' | 'decideOther'>,
): Promise<EditedLines | null> {
  const place = await askPlace(asking, question);
  if (place === null) return null;
  const { path, range, lines } = place;
  const edited = await context.edit({
    fileName: basename(path),
    text: `${lines.join('\n')}\n`,
    isVerbatim: true,
    parse: (text) => (text === '' ? [] : text.replace(/\n$/, '').split('\n')),
  });
  if (edited === null) return null;
  context.print(toPrintableLine(`${path}:${renderLineRange(range)}`));
  for (const line of lines) context.print(context.style.red(`-${toPrintableDiffLine(line)}`));
  for (const line of edited) context.print(context.style.green(`+${toPrintableDiffLine(line)}`));
  if ((await askChoice(asking, choices)) === 'b') return null;
  const comment = { path, side: 'new' as const, ...range, text: renderSuggestionComment(edited) };
  try {
    await question.decideOther(question.changeset.id, { kind: 'suggest', comments: [comment] });
    return { path, range, count: edited.length };
  } catch (error) {
    if (!(error instanceof FlameError) || error.kind !== 'refused') throw error;
    for (const line of [error.message, ...error.lines]) context.print(toPrintableLine(line));
    return null;
  }
}

interface Place {
  readonly path: string;
  readonly range: LineRange;
  readonly lines: readonly string[];
}

async function askPlace(
  asking: TerminalAsking,
  { linesOf }: Pick<ChangesetQuestion, 'linesOf'>,
): Promise<Place | null> {
  for (;;) {
    const typed = (await askLine(asking, 'Which lines, as PATH:LINE or PATH:LINE-LINE (Enter: back): ')).trim();
    if (typed === '') return null;
    const [, path = '', line = '', to = line] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(typed) ?? [];
    const range = { line: Number(line), ...(to === line ? {} : { to: Number(to) }) };
    const lines = path === '' ? null : ((await linesOf?.(path, range)) ?? null);
    if (lines !== null) return { path, range, lines };
    asking.print(
      toPrintableLine(
        path === ''
          ? 'Write the file, a colon and the line, as in src/a.ts:12 or src/a.ts:12-15.'
          : `${path} has no lines ${renderLineRange(range)} after the change.`,
      ),
    );
  }
}
