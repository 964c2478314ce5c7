import type {
  ValidationDecision,
  ValidationQuestion,
  ValidatorFailedDecision,
  ValidatorFailedQuestion,
} from '../../domain/ports/gates.ts';
import { answersTo } from '../../domain/questions/answers-to.ts';
import type { AskedCheck, AskedValidation, AskedValidator, GateText } from '../../domain/questions/gate.ts';
import { badAnswer, parseAnswer } from '../../domain/questions/parse-answer.ts';
import type { ValidationGiven, ValidatorGiven } from '../../domain/questions/validation-answers.ts';
import { isRed } from '../../domain/state/changeset-facts.ts';
import { plannedTaskSchema } from '../../domain/state/plan.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { otherAttempts } from '../render/render-attempts.ts';
import { renderOnBase, withoutOutput } from '../render/render-verdict.ts';
import { boundedDiff, type Question } from './about-question.ts';

export function aboutValidation(question: ValidationQuestion): Question<ValidationDecision> {
  const { task, verdict, showDiff } = question;
  const { id } = task;
  const asks = validationAsks(question);
  return {
    asks,
    about: id,
    substance: { task, verdict },
    decide: async (given) => decideValidation(question, given),
    text: (what) => diffOf(what, id, showDiff),
  };
}

export function validationAsks({
  task,
  verdict,
}: Pick<ValidationQuestion, 'task' | 'verdict'>): AskedValidation {
  const { id, title, description, file_locks } = task;
  const { by, diagnostics } = verdict;
  const { notes, issues } = withoutOutput(verdict);
  return {
    gate: 'validation',
    task: id,
    title,
    by,
    notes,
    issues,
    others: otherAttempts([task]),
    checks: diagnostics.map(askedCheck),
    description,
    file_locks,
  };
}

const { description: descriptionSchema } = plannedTaskSchema.shape;

/** Turns an answer into a decision. Throws FlameError `bad-answer`. */
export async function decideValidation(
  { task, verdict, editProblems }: Pick<ValidationQuestion, 'task' | 'verdict' | 'editProblems'>,
  answer: unknown,
): Promise<ValidationDecision> {
  const given = parseAnswer<ValidationGiven>(answersTo(validationAsks({ task, verdict })), answer);
  if (given.kind !== 'requeue') return given;
  const { notes = verdict.notes, description, file_locks } = given;
  if (description !== undefined && !descriptionSchema.safeParse(description).success)
    throw badAnswer('description: it has invisible characters');
  const edited = {
    ...(description === undefined ? {} : { description }),
    ...(file_locks === undefined ? {} : { file_locks }),
  };
  const problems = Object.keys(edited).length === 0 ? [] : await editProblems(edited);
  if (problems.length > 0) throw badAnswer(problems.join('; '));
  return { ...given, notes };
}

async function diffOf(what: GateText, id: string, showDiff: () => Promise<string>): Promise<string | null> {
  if (what !== 'diff') return null;
  return boundedDiff(await showDiff(), `git flame show ${id} --diff shows all of it`);
}

export function aboutValidator(question: ValidatorFailedQuestion): Question<ValidatorFailedDecision> {
  const { task, diagnostics } = question;
  const asks = validatorAsks(question);
  return {
    asks,
    about: task.id,
    substance: { task, diagnostics },
    decide: async (given) => judged(parseAnswer<ValidatorGiven>(answersTo(asks), given), asks.red),
    text: (what) => diffOf(what, task.id, () => question.showDiff()),
  };
}

export function validatorAsks(question: ValidatorFailedQuestion): AskedValidator {
  const { task, reason, diagnostics } = question;
  return {
    gate: 'validator_failed',
    task: task.id,
    title: task.title,
    reason,
    red: isRed(question),
    checks: diagnostics.map(askedCheck),
  };
}

/** The decision of an answer where no validator gave one: the notes of a pass over failing checks are the reason. */
export function judged(given: ValidatorGiven, isRed: boolean): ValidatorFailedDecision {
  if (given.kind !== 'pass' && given.kind !== 'fail') return { kind: given.kind };
  const { kind: status, notes = '' } = given;
  const why = status === 'pass' && isRed ? { override: notes } : {};
  return { kind: 'manual', status, notes, ...why };
}

/** A check in words, as a person reads it. */
export function askedCheck(run: DiagnosticRun): AskedCheck {
  const { command, exit_code: code, timed_out, output } = run;
  const how = timed_out ? 'timed out' : code === null ? 'killed by a signal' : `exit ${code}`;
  return { command, result: `${how}${renderOnBase(run)}`, is_good: code === 0 && !timed_out, output };
}
