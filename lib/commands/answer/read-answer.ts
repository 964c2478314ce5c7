import { FlameError } from '../../domain/flame-error.ts';
import type { OpenGate } from '../../domain/shown/gate.ts';
import { type LineComment, parseComment } from '../../domain/state/line-comment.ts';
import { gateTitle } from '../../ui/desk/gate-title.ts';
import {
  type AnswerOption,
  answerUsage,
  type GivenWords,
  type PossibleAnswer,
  possibleAnswers,
} from '../../ui/desk/possible-answers.ts';

/** What was typed behind the name of a question. */
interface Typed extends GivenWords {
  readFile(path: string): Promise<string>;
}

/** An answer as boards send it. Throws FlameError `bad-answer`: there is no such answer, or it is not whole. */
export async function readAnswer({ id, asks }: OpenGate, word: string, typed: Typed): Promise<unknown> {
  const all = possibleAnswers(asks);
  const found = all.find((one) => one.word === word);
  if (found === undefined)
    throw badTyping(`"${gateTitle(asks)}" takes no answer ${JSON.stringify(word)}`, id, all);
  const why = whyNot(found, typed);
  if (why !== null) throw badTyping(why, id, [found]);
  const text = found.text === 'FILE' ? await typed.readFile(typed.text) : typed.text;
  return { kind: word, ...found.fields({ ...typed, text }) };
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

/** What is missing, or too much; null: nothing. */
function whyNot({ word, text, options }: PossibleAnswer, typed: GivenWords): string | null {
  if (text === '' && typed.text !== '') return `${word} takes nothing more`;
  if (text !== '' && !text.startsWith('[') && typed.text === '') return `${word} needs ${text}`;
  const given: Readonly<Record<AnswerOption, boolean>> = {
    message: typed.message !== null,
    tasks: typed.tasks !== null,
    keepWork: typed.keepWork,
    comments: typed.comments !== null,
  };
  const strange = optionNames.find(([option]) => given[option] && !options.includes(option));
  return strange === undefined ? null : `${word} takes no ${strange[1]} here`;
}

const optionNames: readonly (readonly [AnswerOption, string])[] = [
  ['message', '--message'],
  ['tasks', '--tasks'],
  ['keepWork', '--keep-work'],
  ['comments', '--comment'],
];

function badTyping(why: string, gate: string, answers: readonly PossibleAnswer[]): FlameError {
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
