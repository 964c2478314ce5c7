import * as z from 'zod';
import type {
  ValidationDecision,
  ValidationQuestion,
  ValidatorFailedDecision,
  ValidatorFailedQuestion,
} from '../../domain/ports/gates.ts';
import type { AskedCheck, GateText, OtherAttempt } from '../../domain/shown/gate.ts';
import { isRed } from '../../domain/state/is-red.ts';
import { plannedTaskSchema } from '../../domain/state/plan.ts';
import type { Task } from '../../domain/state/task.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { hasOthers, tryCells } from '../render/render-tries.ts';
import { onBase, withoutOutput } from '../render/render-verdict.ts';
import { boundedDiff } from './bounded-diff.ts';
import { type DeskQuestion, parseAnswer, wordsSchema } from './desk-question.ts';
import { badAnswer } from './refused-answers.ts';

const { description } = plannedTaskSchema.shape;
// Without the default of plans: an answer that names no locks leaves the task's as they are.
const fileLocks = plannedTaskSchema.shape.file_locks.removeDefault().min(1);

const validationSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('requeue'),
    notes: z.string().max(50_000).default(''),
    keep: z.boolean().default(false),
    description: description.optional(),
    file_locks: fileLocks.optional(),
  }),
  z.strictObject({ kind: z.literal('recheck') }),
  z.strictObject({ kind: z.literal('pass'), override: wordsSchema }),
  z.strictObject({ kind: z.literal('drop'), reason: wordsSchema }),
  z.strictObject({ kind: z.literal('choose'), attempt: z.int().min(1) }),
]);

export function aboutValidation({
  task,
  verdict,
  editProblems,
  showDiff,
}: ValidationQuestion): DeskQuestion<ValidationDecision> {
  const others = otherAttempts([task]);
  const { id, title, description: told, file_locks: locks } = task;
  const { by, diagnostics } = verdict;
  const { notes, issues } = withoutOutput(verdict);
  return {
    about: id,
    substance: { task, verdict },
    asks: {
      ...{ gate: 'validation', task: id, title, by, notes, issues, others },
      checks: diagnostics.map(askedCheck),
      ...{ description: told, file_locks: locks },
    },
    read: async (answer) => {
      const given = parseAnswer(validationSchema, answer);
      if (given.kind === 'choose') requireOther(others, id, given.attempt);
      if (given.kind !== 'requeue') return given;
      const edited = {
        ...(given.description === undefined ? {} : { description: given.description }),
        ...(given.file_locks === undefined ? {} : { file_locks: given.file_locks }),
      };
      const problems = Object.keys(edited).length === 0 ? [] : await editProblems(edited);
      if (problems.length > 0) throw badAnswer(problems.join('; '));
      const words = given.notes.trim() === '' ? verdict.notes : given.notes.trim();
      return { kind: 'requeue', notes: words, ...edited, ...(given.keep ? { keep: true } : {}) };
    },
    text: (what) => diffOf(what, id, showDiff),
  };
}

async function diffOf(what: GateText, id: string, showDiff: () => Promise<string>): Promise<string | null> {
  if (what !== 'diff') return null;
  return boundedDiff(await showDiff(), `it is whole by git flame show ${id} --diff`);
}

const validatorSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('retry') }),
  z.strictObject({ kind: z.literal('skip') }),
  z.strictObject({ kind: z.literal('pass'), notes: z.string().max(50_000).default('') }),
  z.strictObject({ kind: z.literal('fail'), notes: wordsSchema }),
]);

export function aboutValidator(question: ValidatorFailedQuestion): DeskQuestion<ValidatorFailedDecision> {
  const { task, reason, diagnostics } = question;
  const red = isRed(question);
  return {
    about: task.id,
    substance: { task, diagnostics },
    asks: {
      ...{ gate: 'validator_failed', task: task.id, title: task.title, reason, red },
      checks: diagnostics.map(askedCheck),
    },
    read: async (answer) => {
      const given = parseAnswer(validatorSchema, answer);
      if (given.kind === 'retry' || given.kind === 'skip') return given;
      if (given.kind === 'fail') return { kind: 'manual', status: 'fail', notes: given.notes };
      const notes = given.notes.trim();
      if (!red) return { kind: 'manual', status: 'pass', notes };
      const override = parseAnswer(wordsSchema, notes);
      return { kind: 'manual', status: 'pass', notes: override, override };
    },
    text: (what) => diffOf(what, task.id, () => question.showDiff()),
  };
}

/** A check in words, as a person reads it. */
export function askedCheck(run: DiagnosticRun): AskedCheck {
  const { command, exit_code: code, timed_out, output } = run;
  const how = timed_out ? 'took too long' : code === null ? 'ended by a signal' : `exit ${code}`;
  return { command, result: `${how}${onBase(run)}`, is_good: code === 0 && !timed_out, output };
}

/** Attempts that handed something in and were not chosen. */
export function otherAttempts(tasks: readonly Task[]): readonly OtherAttempt[] {
  return tasks.filter(hasOthers).flatMap((task) =>
    tryCells(task).flatMap(({ attempt, isChosen, agent, by, diagnostics, verdict, lines, cost }) => {
      if (isChosen || lines === '') return [];
      const words = [agent, by, diagnostics, verdict, lines, cost].filter(Boolean).join(', ');
      return [{ task: task.id, attempt, words }];
    }),
  );
}

/** Throws FlameError `bad-answer`. */
export function requireOther(others: readonly OtherAttempt[], task: string, attempt: number): void {
  if (others.some((one) => one.task === task && one.attempt === attempt)) return;
  throw badAnswer(`attempt ${attempt} at ${task} is none that could be chosen`);
}
