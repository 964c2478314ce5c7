import { judgeOf, signedVerdict, wordText } from '../core/machines/machine-statement.ts';
import { readGround } from '../core/task/stack-state.ts';
import { judgeTask } from '../core/task/task-outcome.ts';
import type { SessionId } from '../domain/ids.ts';
import type { DoneTask, Task } from '../domain/state/task.ts';
import type { Verdict } from '../domain/state/verdict.ts';
import { giveBackMerge, holdsMerge } from './machines/handed-out.ts';
import { mayHere } from './machines/supervise-machines.ts';
import { asSaid, claimVerdict, giveBackVerdict } from './machines/verdict-claims.ts';
import { mergeWave } from './merge/merge-wave.ts';
import { record, type SessionView } from './record.ts';
import { openReviews, reviewForLead } from './review/review-wave.ts';
import type { Workshop } from './run-context.ts';
import { validateTask } from './validate/validate-task.ts';
import type { Attempts } from './work/attempts.ts';
import { workWave } from './work/work-wave.ts';

/**
 * Work of a machine that joined, until the session has ended: tasks, and other roles that it offers and its lead trusts
 * it with. Each begins once it is due; none waits for another.
 */
export function helpLead(workshop: Workshop, id: SessionId): Promise<void> {
  return workWave(workshop, id, {
    also: (view, running) => {
      if (view.session.state !== 'active' || workshop.sharing?.isCutOff() !== false) return;
      startJudging(workshop, view, running);
      if (holdsMerge(workshop, view.stored) && !running.has('merge'))
        running.begin('merge', () => mergeForLead(workshop, id));
      const open = mayHere(workshop, view.stored, 'review') ? openReviews(workshop, view) : [];
      if (open.length > 0 && !running.has('review'))
        running.begin('review', () => reviewForLead(workshop, id, open));
    },
  });
}

/** Builds changesets for the lead, which decides whether to trust them; work goes on in either case. */
async function mergeForLead(workshop: Workshop, id: SessionId): Promise<void> {
  try {
    await mergeWave(workshop, id);
  } finally {
    await giveBackMerge(workshop, id);
  }
}

/**
 * Begins to judge finished work for the machine that leads, as far as there is room and that one lets this machine. It
 * judges no work of its own.
 */
function startJudging(workshop: Workshop, view: SessionView, running: Attempts): void {
  const { config, place } = workshop;
  if (!mayHere(workshop, view.stored, 'validate')) return;
  const ground = readGround(view.tasks);
  const isOpen = (task: Task): task is DoneTask =>
    task.status === 'done' &&
    !ground.waits(task) &&
    task.claimed_host !== place &&
    judgeOf(task) === null &&
    !workshop.run.told.has(noVerdict(task)) &&
    asSaid(workshop, view, task.id)?.result.status === null;
  for (const task of view.tasks.filter(isOpen)) {
    const judged = running.names.filter((name) => name.startsWith(prefix));
    if (judged.length >= config.concurrency.validation) return;
    if (!running.has(prefix + task.id))
      running.begin(prefix + task.id, () => judgeFor(workshop, view.session.id, task));
  }
}

const prefix = 'judge ';

/** Key of a commit that no validator of this machine could judge: the lead does. */
function noVerdict({ id, commit }: DoneTask): string {
  return `no verdict ${id} ${commit}`;
}

async function judgeFor(workshop: Workshop, session: SessionId, task: DoneTask): Promise<void> {
  const claim = await claimVerdict(workshop, session, task);
  if (claim === null) return;
  const judgement = await validateTask(workshop, session, task).catch(async (error: unknown) => {
    await giveBackVerdict(workshop, session, task.id).catch(() => undefined);
    throw error;
  });
  if (judgement.kind === 'verdict') return sendVerdict(workshop, session, judgement.verdict, claim);
  workshop.run.told.add(noVerdict(task));
  await giveBackVerdict(workshop, session, task.id);
  const message = `${task.id}: no verdict: ${judgement.reason}. Its lead judges it.`;
  workshop.events.emit({ event: 'notice', level: 'warning', message });
}

/** Records a verdict where its claim still holds, signed by this machine: the lead accepts no other. */
async function sendVerdict(
  workshop: Workshop,
  session: SessionId,
  verdict: Verdict,
  claim: number,
): Promise<void> {
  const { sharing, place } = workshop;
  if (sharing === undefined) return;
  const name = place;
  const { key, signature } = sharing.sign(wordText('validate', signedVerdict(verdict), { name, claim }));
  const signed: Verdict = { ...verdict, machine: { name, claim, key, signature } };
  const done = await record(workshop, session, ({ tasks }) => {
    const task = tasks.find((one) => one.id === verdict.task);
    if (task?.status !== 'done' || task.commit !== verdict.commit) return null;
    if (judgeOf(task) !== place || task.judging?.claim !== claim) return null;
    const judged = judgeTask(task, signed);
    return { steps: [judged], verdict: signed, actor: verdict.by };
  });
  const { task, commit, status, notes, by } = verdict;
  if (done.kind === 'done')
    return workshop.events.emit({ event: 'verdict', task, commit, status, notes, by });
  const message = `${task}: what ${by} found does not count, its claim to judge it was given up.`;
  workshop.events.emit({ event: 'notice', level: 'warning', message });
}
