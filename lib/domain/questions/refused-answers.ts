import { whereWords } from '../answered-at.ts';
import { FlameError } from '../flame-error.ts';
import type { DecidedGate } from './gate.ts';

/** It is no answer to what is asked. */
export function badAnswer(why: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'bad-answer',
    message: `That is no answer to this question: ${why}.`,
  });
}

/** Another answer was faster: of whom, where, with what. */
export function answeredAlready({ about, answer, where, by }: DecidedGate): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'answered-already',
    message: `Nothing came of this answer: ${about} was decided meanwhile ${whereWords[where]} by ${by}: ${answer}.`,
    hints: ['git flame status'],
  });
}

/** The question seen is closed; `how` it ended, a clause: as far as that is known here. */
export function notAsked(how = 'this question is not asked any more'): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'not-asked',
    message: `Nothing came of this answer: ${how}.`,
    hints: ['git flame status'],
  });
}
