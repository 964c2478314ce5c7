import { answerUsage, typedAnswers } from '../../domain/questions/answers-to.ts';
import type { GateLine, OpenGate } from '../../domain/questions/gate.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { renderQuestions } from '../../ui/questions/render-questions.ts';
import { visibleText } from '../../ui/text/visible-text.ts';
import { lineOf, openFarLines } from '../open/far-lines.ts';
import { type Reading, withState } from '../open/read-state.ts';
import { giveAnswer } from './give-answer.ts';
import { noSuchGate, noSuchText } from './read-answer.ts';

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
      return await giveAnswer(reading, { line, gate, name, word, text, args, io });
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
      id,
      session,
      asked_at,
      asks,
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

interface Printing {
  readonly line: GateLine | null;
  readonly name: string;
  readonly what: string;
  readonly io: Io;
}

async function print({ output }: Reading, { line, name, what, io }: Printing): Promise<number> {
  if (what !== 'plan' && what !== 'diff' && what !== 'message') throw noSuchText(name, what);
  if (line === null) throw noSuchGate(name);
  const text = await line.text(name, what);
  if (text === null) throw noSuchText(name, what);
  output.json({ gate: name, text });
  output.result(io.stdout.isTTY === true ? visibleText(text) : text);
  return 0;
}
