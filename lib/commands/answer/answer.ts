import { resolve } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import {
  answerFieldFlags,
  type CommandLineAnswer,
  listCommandLineAnswers,
  renderAnswerUsage,
} from '../../domain/questions/offered-answers.ts';
import type { PendingQuestion, QuestionChannel } from '../../domain/questions/question-data.ts';
import { renderQuestionTitle } from '../../domain/questions/question-facts.ts';
import { type LineComment, parseLineComment } from '../../domain/state/line-comment.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { renderQuestions } from '../../ui/questions/render-questions.ts';
import { toPrintableLine, toPrintableText } from '../../ui/text/printable-text.ts';
import { type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { findRunAskingQuestion, openQuestionClients } from '../questions/question-clients.ts';
import { readFileNamedByPerson, readStreamAsText } from '../run-context/open-gates.ts';

/**
 * `git flame answer [GATE] [ANSWER]`: what runs of this machine ask, and one answer to it. It goes the way of one that a
 * board gives: by the run's own door, which lets in neither cells nor chats.
 */
export function run(args: CommandArgs<'answer'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async (reading) => {
    const far = openQuestionClients(reading.git.repository.commonDir);
    try {
      const lines = (await far.ready()).filter((line) => isSelected(line, reading.selected.name));
      const [name, word, text] = splitWords(args.positionals[0] ?? '');
      if (name === '') return list(reading, lines);
      const line = findRunAskingQuestion(lines, name);
      const gate = line?.read().open ?? null;
      if (args.options.print !== null) return await print(reading, { line, name, what: args.options.print, io });
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

function isSelected(line: QuestionChannel, session: string | null): boolean {
  const { open, decided } = line.read();
  return session === null || [open, ...decided].some((one) => one?.session === session);
}

function list(reading: ReadContext, lines: readonly QuestionChannel[]): number {
  const open = lines.flatMap((line) => line.read().open ?? []);
  return show(reading, open);
}

function show({ output }: ReadContext, gates: readonly PendingQuestion[]): number {
  output.json({
    gates: gates.map(({ id, session, asked_at, asks }) => ({
      id,
      session,
      asked_at,
      asks,
      answers: listCommandLineAnswers(asks).map((answer) => ({
        answer: answer.word,
        usage: renderAnswerUsage(answer),
        means: answer.means,
      })),
    })),
  });
  if (gates.length > 0) output.result(renderQuestions(gates, output.style, new Date()));
  else {
    output.result('No run is asking anything now.');
    output.hint('git flame status');
  }
  return 0;
}

interface Printing {
  readonly line: QuestionChannel | null;
  readonly name: string;
  readonly what: string;
  readonly io: Io;
}

async function print({ output }: ReadContext, { line, name, what, io }: Printing): Promise<number> {
  if (what !== 'plan' && what !== 'diff' && what !== 'message') throw noSuchText(name, what);
  if (line === null) throw noSuchGate(name);
  const text = await line.text(name, what);
  if (text === null) throw noSuchText(name, what);
  output.json({ gate: name, text });
  output.result(io.stdout.isTTY === true ? toPrintableText(text) : text);
  return 0;
}

interface Giving {
  readonly line: QuestionChannel | null;
  /** The question that is open there. */
  readonly gate: PendingQuestion | null;
  readonly name: string;
  readonly word: string;
  readonly text: string;
  readonly args: CommandArgs<'answer'>;
  readonly io: Io;
}

/** Names of questions; no question has any other name. */
const gateName = /^gate-/;

/** Gives an answer to a question by the run that asks it. */
async function giveAnswer(
  { output }: ReadContext,
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
          readFile: (file) =>
            file === '-' ? readStreamAsText(io.stdin) : readFileNamedByPerson(resolve(io.cwd, file)),
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
  output.result(`Answered: ${toPrintableLine(about)}, ${toPrintableLine(words).replace(/\.$/, '')}.`);
  return 0;
}

/** The arguments behind a question's name and its answer. */
interface Typed {
  readonly text: string;
  /** Values of options by the fields that they give. */
  readonly options: Readonly<Record<string, unknown>>;
  readFile(path: string): Promise<string>;
}

/** An answer as boards send it. Throws FlameError `no-such-answer`: there is none of that word, or it is not whole. */
async function readAnswer({ id, asks }: PendingQuestion, word: string, typed: Typed): Promise<unknown> {
  const all = listCommandLineAnswers(asks);
  const found = all.find((one) => one.word === word);
  if (found === undefined)
    throw badTyping(`"${renderQuestionTitle(asks)}" takes no answer ${JSON.stringify(word)}`, id, all);
  const why = whyNot(found, typed);
  if (why !== null) throw badTyping(why, id, [found]);
  return found.read(found.text === 'FILE' ? await typed.readFile(typed.text) : typed.text, typed.options);
}

/** A remark on lines, as it is typed. Throws FlameError `bad-comment`. */
function readComment(typed: string): LineComment {
  const comment = parseLineComment(typed);
  if (comment !== null) return comment;
  throw new FlameError({
    kind: 'usage',
    code: 'bad-comment',
    message: `Nothing was answered: ${JSON.stringify(typed)} is not a comment on a line: write the file, a colon, the line or lines, and the comment.`,
    hints: ["git flame answer GATE reject REASON --comment 'src/a.ts:12 This is never closed.'"],
  });
}

/** Returns why an answer lacks a part or has one too many; null: it is complete. */
function whyNot({ word, text, options }: CommandLineAnswer, typed: Typed): string | null {
  if (text === '' && typed.text !== '') return `${word} takes nothing more`;
  if (text !== '' && !text.startsWith('[') && typed.text === '') return `${word} needs ${text}`;
  const strange = Object.keys(typed.options).find((name) => !options.includes(name));
  return strange === undefined ? null : `${word} takes no ${answerFieldFlags[strange]?.split(' ')[0]} here`;
}

function badTyping(why: string, gate: string, answers: readonly CommandLineAnswer[]): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'no-such-answer',
    message: `Nothing was answered: ${why}.`,
    hints: answers.map((one) => `git flame answer ${gate} ${renderAnswerUsage(one)}`),
  });
}

/** None of the runs that still go asks or asked it. */
function noSuchGate(name: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-such-gate',
    message: `Nothing was answered: no run of this machine asks ${JSON.stringify(name)}, or the run that asked it has ended.`,
    hints: ['git flame answer', 'git flame log'],
  });
}

/** A question has no text of that name. */
function noSuchText(gate: string, what: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-such-text',
    message: `${gate} has no text ${JSON.stringify(what)}: for a plan, print plan; for a changeset, print diff or message.`,
    hints: [`git flame answer ${gate}`],
  });
}
