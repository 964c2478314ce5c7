import type {
  ValidationDecision,
  ValidationQuestion,
  ValidatorFailedDecision,
  ValidatorFailedQuestion,
} from '../../domain/ports/gates.ts';
import { listOfferedAnswers } from '../../domain/questions/offered-answers.ts';
import { badAnswerError, parseAnswerToQuestion } from '../../domain/questions/parse-answer.ts';
import type {
  CheckDescription,
  QuestionTextKind,
  ValidationQuestionData,
  ValidatorQuestionData,
} from '../../domain/questions/question-data.ts';
import type { ValidationAnswerInput, ValidatorAnswerInput } from '../../domain/questions/validation-answers.ts';
import { hasFailedDiagnostic } from '../../domain/state/changeset-facts.ts';
import { plannedTaskSchema } from '../../domain/state/plan-schema.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { listUnchosenAttempts } from '../render/render-attempts.ts';
import { dropRepeatedOutput, renderFailsOnBase } from '../render/render-verdict.ts';
import { cutLongDiff, type PreparedQuestion } from './prepared-question.ts';

export function prepareValidationQuestion(question: ValidationQuestion): PreparedQuestion<ValidationDecision> {
  const { task, verdict, showDiff } = question;
  const { id } = task;
  const asks = buildValidationQuestionData(question);
  return {
    asks,
    about: id,
    substance: { task, verdict },
    decide: async (given) => decideValidation(question, asks, given),
    text: (what) => diffOf(what, id, showDiff),
  };
}

export function buildValidationQuestionData({
  task,
  verdict,
}: Pick<ValidationQuestion, 'task' | 'verdict'>): ValidationQuestionData {
  const { id, title, description, file_locks } = task;
  const { by, diagnostics } = verdict;
  const { notes, issues } = dropRepeatedOutput(verdict);
  return {
    gate: 'validation',
    task: id,
    title,
    by,
    notes,
    issues,
    others: listUnchosenAttempts([task]),
    checks: diagnostics.map(describeDiagnosticResult),
    description,
    file_locks,
  };
}

const { description: descriptionSchema } = plannedTaskSchema.shape;

/** Turns an answer into a decision. Throws FlameError `bad-answer`. */
async function decideValidation(
  { verdict, editProblems }: ValidationQuestion,
  asks: ValidationQuestionData,
  answer: unknown,
): Promise<ValidationDecision> {
  const given = parseAnswerToQuestion<ValidationAnswerInput>(listOfferedAnswers(asks), answer);
  if (given.kind !== 'requeue') return given;
  const { notes = verdict.notes, description, file_locks } = given;
  if (description !== undefined && !descriptionSchema.safeParse(description).success)
    throw badAnswerError('description: it has invisible characters');
  const edited = {
    ...(description === undefined ? {} : { description }),
    ...(file_locks === undefined ? {} : { file_locks }),
  };
  const problems = Object.keys(edited).length === 0 ? [] : await editProblems(edited);
  if (problems.length > 0) throw badAnswerError(problems.join('; '));
  return { ...given, notes };
}

async function diffOf(what: QuestionTextKind, id: string, showDiff: () => Promise<string>): Promise<string | null> {
  if (what !== 'diff') return null;
  return cutLongDiff(await showDiff(), `git flame show ${id} --diff shows all of it`);
}

export function prepareValidatorQuestion(question: ValidatorFailedQuestion): PreparedQuestion<ValidatorFailedDecision> {
  const { task, diagnostics } = question;
  const asks = buildValidatorQuestionData(question);
  return {
    asks,
    about: task.id,
    substance: { task, diagnostics },
    decide: async (given) =>
      toValidatorDecision(parseAnswerToQuestion<ValidatorAnswerInput>(listOfferedAnswers(asks), given), asks.red),
    text: (what) => diffOf(what, task.id, () => question.showDiff()),
  };
}

export function buildValidatorQuestionData(question: ValidatorFailedQuestion): ValidatorQuestionData {
  const { task, reason, diagnostics } = question;
  return {
    gate: 'validator_failed',
    task: task.id,
    title: task.title,
    reason,
    red: hasFailedDiagnostic(question),
    checks: diagnostics.map(describeDiagnosticResult),
  };
}

/** The decision of an answer where no validator gave one: the notes of a pass over failing checks are the reason. */
export function toValidatorDecision(given: ValidatorAnswerInput, isRed: boolean): ValidatorFailedDecision {
  if (given.kind !== 'pass' && given.kind !== 'fail') return { kind: given.kind };
  const { kind: status, notes = '' } = given;
  const why = status === 'pass' && isRed ? { override: notes } : {};
  return { kind: 'manual', status, notes, ...why };
}

/** A check in words, as a person reads it. */
export function describeDiagnosticResult(run: DiagnosticRun): CheckDescription {
  const { command, exit_code: code, timed_out, output } = run;
  const how = timed_out ? 'timed out' : code === null ? 'killed by a signal' : `exit ${code}`;
  return { command, result: `${how}${renderFailsOnBase(run)}`, is_good: code === 0 && !timed_out, output };
}
