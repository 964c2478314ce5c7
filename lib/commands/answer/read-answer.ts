import { FlameError } from '../../domain/flame-error.ts';
import {
  answerUsage,
  fieldOptions,
  type TypedAnswer,
  typedAnswers,
} from '../../domain/questions/answers-to.ts';
import type { OpenGate } from '../../domain/questions/gate.ts';
import { questionTitle } from '../../domain/questions/question-facts.ts';
import { type LineComment, parseComment } from '../../domain/state/line-comment.ts';

/** The arguments behind a question's name and its answer. */
interface Typed {
  readonly text: string;
  /** Values of options by the fields that they give. */
  readonly options: Readonly<Record<string, unknown>>;
  readFile(path: string): Promise<string>;
}

/** An answer as boards send it. Throws FlameError `no-such-answer`: there is none of that word, or it is not whole. */
export async function readAnswer({ id, asks }: OpenGate, word: string, typed: Typed): Promise<unknown> {
  const all = typedAnswers(asks);
  const found = all.find((one) => one.word === word);
  if (found === undefined)
    throw badTyping(`"${questionTitle(asks)}" takes no answer ${JSON.stringify(word)}`, id, all);
  const why = whyNot(found, typed);
  if (why !== null) throw badTyping(why, id, [found]);
  return found.read(found.text === 'FILE' ? await typed.readFile(typed.text) : typed.text, typed.options);
}

/** A remark on lines, as it is typed. Throws FlameError `bad-comment`. */
export function readComment(typed: string): LineComment {
  const comment = parseComment(typed);
  if (comment !== null) return comment;
  throw new FlameError({
    kind: 'usage',
    code: 'bad-comment',
    message: `Nothing was answered: ${JSON.stringify(typed)} is no remark on a line, which is its file, a colon, the line or lines, and the remark.`,
    hints: ["git flame answer GATE reject REASON --comment 'src/a.ts:12 This is never closed.'"],
  });
}

/** Returns why an answer lacks a part or has one too many; null: it is complete. */
function whyNot({ word, text, options }: TypedAnswer, typed: Typed): string | null {
  if (text === '' && typed.text !== '') return `${word} takes nothing more`;
  if (text !== '' && !text.startsWith('[') && typed.text === '') return `${word} needs ${text}`;
  const strange = Object.keys(typed.options).find((name) => !options.includes(name));
  return strange === undefined ? null : `${word} takes no ${fieldOptions[strange]?.split(' ')[0]} here`;
}

function badTyping(why: string, gate: string, answers: readonly TypedAnswer[]): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'no-such-answer',
    message: `Nothing was answered: ${why}.`,
    hints: answers.map((one) => `git flame answer ${gate} ${answerUsage(one)}`),
  });
}

/** None of the runs that still go asks or asked it. */
export function noSuchGate(name: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-such-gate',
    message: `Nothing was answered: no run of this machine asks ${JSON.stringify(name)}, or the one that did has ended.`,
    hints: ['git flame answer', 'git flame log'],
  });
}

/** A question has no text of that name. */
export function noSuchText(gate: string, what: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-such-text',
    message: `${gate} has no text ${JSON.stringify(what)}: a plan has its plan, a changeset its diff and its message.`,
    hints: [`git flame answer ${gate}`],
  });
}
