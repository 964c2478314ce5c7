import type { ChoosableAttempt } from '../../domain/questions/question-data.ts';
import type { AttemptRecord } from '../../domain/state/attempt-record.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { RunEvent } from '../../domain/view-models/run-event.ts';
import { formatCount, formatSpend } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

/** One of several attempts in the columns of a table. */
export interface AttemptTableRow {
  readonly isChosen: boolean;
  /** From 1. */
  readonly attempt: number;
  readonly agent: string;
  /** Adapter and model. */
  readonly by: string;
  readonly diagnostics: string;
  readonly verdict: string;
  readonly lines: string;
  readonly cost: string;
  /** Why it handed in nothing. */
  readonly why: string;
}

/** Describes each of several attempts at a task; none where there was one alone. */
export function buildAttemptTableRows({ tries = [] }: Pick<Task, 'tries'>): readonly AttemptTableRow[] {
  return tries.map((one, at) => ({
    isChosen: one.chosen === true,
    attempt: at + 1,
    agent: one.agent_id,
    by: [one.adapter, one.model].filter(Boolean).join(' '),
    diagnostics: diagnosticsOf(one),
    verdict: one.verdict ?? '',
    lines: one.work === undefined ? '' : formatCount(one.work.lines, 'line'),
    cost: formatSpend(one),
    why: whyOf(one),
  }));
}

function diagnosticsOf({ failing }: AttemptRecord): string {
  if (failing === undefined) return '';
  return failing.length === 0 ? 'diagnostics ok' : `${failing.length} failed`;
}

function whyOf({ ended, failure, notes }: AttemptRecord): string {
  if (ended === null) return 'still running';
  if (ended === 'left-out') return `not started: ${notes}`;
  return failure === undefined ? '' : failure.message;
}

/** The attempts at a task as a table, the one whose work counts marked; none where there was one alone. */
export function renderAttempts(task: Pick<Task, 'tries'>, style: Style, indent = '  '): readonly string[] {
  return buildAttemptTableRows(task).flatMap((one) => {
    const cells = [
      `${one.isChosen ? '*' : ' '} ${one.attempt}.`,
      toPrintableLine(one.agent),
      toPrintableLine(one.by),
      ...[one.diagnostics, one.verdict, one.lines, one.cost].filter(Boolean),
    ];
    const why = one.why === '' ? [] : wrapText(toPrintableLine(one.why), style.width, `${indent}     `);
    return [...wrapText(cells.join('  '), style.width, indent), ...why.map(style.dim)];
  });
}

/** Whether a person has another attempt to choose. */
export function hasChoosableAttempts({ status, tries = [] }: Pick<Task, 'status' | 'tries'>): boolean {
  return status === 'done' && tries.some(({ work, chosen }) => work !== undefined && chosen !== true);
}

/** `3 attempts`, or with what each is made: `claude, codex gpt-5.5`; null: there is one. */
export function describeAttempts({ attempts }: Pick<Task, 'attempts'>): string | null {
  if (attempts === undefined) return null;
  const isAlike = attempts.every(({ adapter, model }) => adapter === null && model === null);
  if (isAlike) return `${attempts.length} parallel attempts`;
  const named = attempts.map(
    ({ adapter, model }) =>
      [adapter, model]
        .filter(Boolean)
        .map((word) => toPrintableLine(word ?? ''))
        .join(' ') || 'default',
  );
  return `${attempts.length} parallel attempts: ${named.join(', ')}`;
}

/** One of several attempts that is over, as a line. */
export function renderAttemptEnd(
  { task, agent, attempt, of, outcome, lines, why }: Extract<RunEvent, { readonly event: 'attempt-ended' }>,
  style: Style,
): string {
  const who = `${toPrintableLine(task)}: attempt ${attempt} of ${of} by ${toPrintableLine(agent)}`;
  if (outcome === 'handed-in') return `${who} handed in ${formatCount(lines ?? 0, 'changed line')}`;
  return style.yellow(`${who} failed${why === null ? '' : `: ${toPrintableLine(why)}`}`);
}

/** Attempts that handed something in and were not chosen. */
export function listUnchosenAttempts(tasks: readonly Task[]): readonly ChoosableAttempt[] {
  return tasks.filter(hasChoosableAttempts).flatMap((task) =>
    buildAttemptTableRows(task).flatMap(({ attempt, isChosen, agent, by, diagnostics, verdict, lines, cost }) => {
      if (isChosen || lines === '') return [];
      const words = [agent, by, diagnostics, verdict, lines, cost].filter(Boolean).join(', ');
      return [{ task: task.id, attempt, words }];
    }),
  );
}
