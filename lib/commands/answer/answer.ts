import { resolve } from 'node:path';
import type { GateLine, OpenGate } from '../../domain/questions/gate.ts';
import { answerUsage, typedAnswers } from '../../domain/questions/typed-answer.ts';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import { renderQuestions } from '../../ui/questions/render-questions.ts';
import { visibleLine, visibleText } from '../../ui/text/visible-text.ts';
import { lineOf, openFarLines } from '../open/far-lines.ts';
import { readNamedFile } from '../open/open-gates.ts';
import { readAll } from '../open/read-all.ts';
import { type Reading, withState } from '../open/read-state.ts';
import { noSuchGate, noSuchText, readAnswer, readComment } from './read-answer.ts';

/**
 * `git flame answer [GATE] [ANSWER]`: what runs of this machine ask, and one answer to it. It goes the way of one that a
 * board gives: by the run's own door, which lets in neither cells nor chats.
 */
export function run(args: CommandArgs<'answer'>, io: Io): Promise<number> {
  return withState(args, io, async (reading) => {
    const far = openFarLines(reading.git.repository.commonDir);
    try {
      const lines = (await far.ready()).filter((line) => isMeant(line, reading.meant.name));
      const [name, word, text] = splitWords(args.positionals[0] ?? '');
      if (name === '') return list(reading, lines);
      const line = lineOf(lines, name);
      const gate = line?.read().open ?? null;
      if (args.options.print !== null)
        return await print(reading, { line, name, what: args.options.print, io });
      if (line !== null && gate?.id === name && word === '') return show(reading, [gate]);
      return await give(reading, { line, gate, name, word, text, args, io });
    } finally {
      far.close();
    }
  });
}

/** `GATE ANSWER the rest`. */
function splitWords(words: string): readonly [name: string, word: string, text: string] {
  const [, name = '', word = '', text = ''] = /^(\S*)\s*(\S*)\s*(.*)$/s.exec(words) ?? [];
  return [name, word, text.trim()];
}

function isMeant(line: GateLine, session: string | null): boolean {
  const { open, decided } = line.read();
  return session === null || [open, ...decided].some((one) => one?.session === session);
}

function list(reading: Reading, lines: readonly GateLine[]): number {
  const open = lines.flatMap((line) => line.read().open ?? []);
  return show(reading, open);
}

function show({ output }: Reading, gates: readonly OpenGate[]): number {
  output.json({
    gates: gates.map(({ id, session, asked_at, asks }) => ({
      ...{ id, session, asked_at, asks },
      answers: typedAnswers(asks).map((answer) => ({
        answer: answer.word,
        usage: answerUsage(answer),
        means: answer.means,
      })),
    })),
  });
  if (gates.length > 0) output.result(renderQuestions(gates, output.style, new Date()));
  else {
    output.result('No run asks anything at this moment.');
    output.hint('git flame status');
  }
  return 0;
}

async function print(
  { output }: Reading,
  { line, name, what, io }: Pick<Giving, 'line' | 'name' | 'io'> & { readonly what: string },
): Promise<number> {
  if (what !== 'plan' && what !== 'diff' && what !== 'message') throw noSuchText(name, what);
  if (line === null) throw noSuchGate(name);
  const text = await line.text(name, what);
  if (text === null) throw noSuchText(name, what);
  output.json({ gate: name, text });
  output.result(io.stdout.isTTY === true ? visibleText(text) : text);
  return 0;
}

interface Giving {
  readonly line: GateLine | null;
  /** The question that is open there. */
  readonly gate: OpenGate | null;
  readonly name: string;
  readonly word: string;
  readonly text: string;
  readonly args: CommandArgs<'answer'>;
  readonly io: Io;
}

/** What questions are called; an answer without one was never asked for by that name. */
const gateName = /^gate-/;

async function give(
  { output }: Reading,
  { line, gate, name, word, text, args, io }: Giving,
): Promise<number> {
  if (line === null || !gateName.test(name)) throw noSuchGate(name);
  const { message, tasks, keepWork, comment } = args.options;
  const options = {
    ...(message === null ? {} : { message }),
    ...(tasks === null ? {} : { tasks }),
    ...(keepWork ? { keep: true } : {}),
    ...(comment === null ? {} : { comments: comment.map(readComment) }),
  };
  // One that was decided meanwhile is told by whom, whatever the answer.
  const answer =
    gate?.id === name
      ? await readAnswer(gate, word, {
          ...{ text, options },
          readFile: (file) => (file === '-' ? readAll(io.stdin) : readNamedFile(resolve(io.cwd, file))),
        })
      : { kind: word };
  if (args.globals.dryRun) {
    output.json({ gate: name, answer: null });
    output.result(`Would answer ${name}.`);
    return 0;
  }
  await line.answer({ gate: name, answer, where: 'command' });
  const decided = line.read().decided.find(({ id }) => id === name);
  const { about = '', answer: words = '', session = null } = decided ?? {};
  output.json({ gate: name, session, about, answer: words });
  output.result(`Answered: ${visibleLine(about)}, ${visibleLine(words).replace(/\.$/, '')}.`);
  return 0;
}
