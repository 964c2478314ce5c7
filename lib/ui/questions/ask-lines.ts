import { basename } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import { asSuggestion, type LineRange, nameLines } from '../../domain/state/line-range.ts';
import { visibleDiffLine, visibleLine } from '../text/visible-text.ts';
import { type Asking, askLine, type Choice, choose } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import type { EditedLines } from './kept-comments.ts';

const choices: readonly Choice<'a' | 'b'>[] = [
  { key: 'a', label: '(a)pply as your commit' },
  { key: 'b', label: '(b)ack' },
];

/**
 * Opens lines of a changeset in the person's editor and puts the edit on top of the work as a commit of theirs, since
 * it is their code: the changeset is built again with it. null: nothing is changed, and a refusal is printed.
 */
export async function editsLines(
  context: GateContext,
  asking: Asking,
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
  context.say(visibleLine(`${path}:${nameLines(range)}`));
  for (const line of lines) context.say(context.style.red(`-${visibleDiffLine(line)}`));
  for (const line of edited) context.say(context.style.green(`+${visibleDiffLine(line)}`));
  if ((await choose(asking, choices)) === 'b') return null;
  const comment = { path, side: 'new' as const, ...range, text: asSuggestion(edited) };
  try {
    await question.decideOther(question.changeset.id, { kind: 'suggest', comments: [comment] });
    return { path, range, count: edited.length };
  } catch (error) {
    if (!(error instanceof FlameError) || error.kind !== 'refused') throw error;
    for (const line of [error.message, ...error.lines]) context.say(visibleLine(line));
    return null;
  }
}

interface Place {
  readonly path: string;
  readonly range: LineRange;
  readonly lines: readonly string[];
}

async function askPlace(
  asking: Asking,
  { linesOf }: Pick<ChangesetQuestion, 'linesOf'>,
): Promise<Place | null> {
  for (;;) {
    const typed = (
      await askLine(asking, 'Which lines, as PATH:LINE or PATH:LINE-LINE (Enter: back): ')
    ).trim();
    if (typed === '') return null;
    const [, path = '', line = '', to = line] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(typed) ?? [];
    const range = { line: Number(line), ...(to === line ? {} : { to: Number(to) }) };
    const lines = path === '' ? null : ((await linesOf?.(path, range)) ?? null);
    if (lines !== null) return { path, range, lines };
    asking.say(
      visibleLine(
        path === ''
          ? 'Write the file, a colon and the line, as in src/a.ts:12 or src/a.ts:12-15.'
          : `${path} has no lines ${nameLines(range)} after the change.`,
      ),
    );
  }
}
