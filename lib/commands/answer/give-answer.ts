import { resolve } from 'node:path';
import type { GateLine, OpenGate } from '../../domain/questions/gate.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { readNamedFile } from '../open/open-gates.ts';
import { readAll } from '../open/read-all.ts';
import type { Reading } from '../open/read-state.ts';
import { noSuchGate, readAnswer, readComment } from './read-answer.ts';

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

/** Names of questions; no question has any other name. */
const gateName = /^gate-/;

/** Gives an answer to a question by the run that asks it. */
export async function giveAnswer(
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
  // For a question that was decided meanwhile, the error names who decided it, whether or not this answer is valid.
  const answer =
    gate?.id === name
      ? await readAnswer(gate, word, {
          text,
          options,
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
