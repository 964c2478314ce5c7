import { inDependencyOrder } from '../../core/changesets/cohesion-groups.ts';
import { workDecision } from '../../core/decisions/decisions.ts';
import { lostGround, uprooted } from '../../core/task/needs-of.ts';
import { replayTask, requeueTask, type TaskChange } from '../../core/task/task-state.ts';
import { withdraw } from '../../core/task/withdraw.ts';
import { type ObjectId, type SessionId, taskBranch } from '../../domain/ids.ts';
import { hasWork, type Task, type WorkedTask } from '../../domain/state/task.ts';
import { brokenRules } from '../judge/judge-task.ts';
import { keepFormer } from '../keep/rescue-refs.ts';
import { type Recording, record, type SessionView, taskOf, viewSession } from '../record.ts';
import { type StartPoint, startPoint } from '../start-point.ts';
import { timestamp, type Workshop } from '../workshop.ts';
import { groundOf } from './held-apart.ts';
import { replayOwn } from './replay-own.ts';

/**
 * Takes what is not accepted any more out from under the finished work that was built on it: each one's own change
 * is put on what remains, and is checked again; no worker is paid. What conflicts then goes back to its worker. Which
 * tasks these are follows from their notes, so that a kill at any point changes nothing.
 */
export async function replayUprooted(workshop: Workshop, session: SessionId): Promise<void> {
  for (;;) {
    const view = await viewSession(workshop, session);
    // What is below comes first: the others stand on it again.
    const [task] = inDependencyOrder(uprooted(view.tasks));
    if (task === undefined || !hasWork(task)) return;
    await replayOne(workshop, view, task);
  }
}

interface Uprooted {
  readonly task: WorkedTask;
  /** Names of what it stood on and does no more. */
  readonly lost: readonly string[];
  /** See groundOf. */
  readonly ground: string;
}

async function replayOne(workshop: Workshop, view: SessionView, task: WorkedTask): Promise<void> {
  const byId = new Map<string, Task>(view.tasks.map((one) => [one.id, one]));
  const lost = lostGround(task, byId);
  const one = { task, lost, ground: groundOf(workshop, task, view.tasks) };
  const why = lost.map((id) => `${id}, which is ${describe(byId.get(id))}`).join(', and on ');
  const start = await startPoint(workshop, view.session, task, view.tasks);
  if (start.kind === 'conflict')
    return sendBack(
      workshop,
      one,
      `It was built on ${why}. What remains conflicts: ${whatConflicts(start)}.`,
    );
  const { start_commit, commit } = task;
  const own = await replayOwn(workshop.git, { start: start_commit, commit }, start.commit);
  if (own.kind === 'conflict') {
    const report = [...own.messages].join('\n');
    const notes = `It was built on ${why}. Without that, its change conflicts in ${own.paths.join(', ')}.\n${report}`;
    return sendBack(workshop, one, notes.trim());
  }
  const step = replayTask(task, {
    ...{ commit: own.commit, start: start.commit, builtOn: start.builtOn, without: lost },
    at: timestamp(workshop),
  });
  const broken = await brokenRules(workshop, step.task);
  if (broken.length > 0)
    return sendBack(workshop, one, `Without ${lost.join(', ')}, it breaks rules:\n${broken.join('\n')}`);
  await keep(workshop, one, { commit: own.commit, step });
}

function whatConflicts({ with: id, paths }: Extract<StartPoint, { readonly kind: 'conflict' }>): string {
  return `the work of ${id}, in ${paths.join(', ')}`;
}

function describe(below: Task | undefined): string {
  return below?.status === 'done' ? 'another commit now' : (below?.status ?? 'gone');
}

async function keep(
  workshop: Workshop,
  { task, ground, lost }: Uprooted,
  { commit, step }: { readonly commit: ObjectId; readonly step: TaskChange },
): Promise<void> {
  const { session, id } = task;
  const ref = taskBranch(session, id);
  const old = await workshop.git.resolveCommit(ref);
  await keepFormer(workshop, { session, task: id }, { old, tip: commit });
  const done = await record(workshop, session, (view) => {
    if (!isAsSeen(workshop, view, { task, ground })) return null;
    return {
      steps: [step],
      refs: [{ ref, old, new: commit }],
      ...voided(view, id),
      vouched: [workDecision(step.task, workshop.configDigest)],
    };
  });
  if (done.kind !== 'done') return;
  workshop.events.emit({
    event: 'notice',
    level: 'info',
    message: `${id} stands without ${lost.join(', ')} as it was: its own change was put on what remains, and is checked again.`,
  });
}

function isAsSeen(
  workshop: Workshop,
  view: SessionView,
  { task, ground }: Pick<Uprooted, 'task' | 'ground'>,
): boolean {
  const now = view.tasks.find(({ id }) => id === task.id);
  return now !== undefined && now.rev === task.rev && groundOf(workshop, now, view.tasks) === ground;
}

/** Changesets that hold what it was are void for good: its task stands again, they don't. */
function voided({ session }: SessionView, task: string): Pick<Recording, 'session'> {
  const holding = session.changesets.filter(
    ({ state, tasks }) => state === 'void' && tasks.some((id) => id === task),
  );
  if (holding.length === 0) return {};
  const names = holding.map(({ id }) => id).join(', ');
  return { session: { next: session, subject: `changesets void: ${names}, ${task} is another commit now` } };
}

async function sendBack(workshop: Workshop, { task, ground }: Uprooted, notes: string): Promise<void> {
  const at = timestamp(workshop);
  const done = await record(workshop, task.session, (view) => {
    if (!isAsSeen(workshop, view, { task, ground })) return null;
    const step = requeueTask(taskOf(view, task.id), { kind: 'conflict', notes, at });
    return { steps: withdraw(view.tasks, [step], at), body: notes };
  });
  if (done.kind !== 'done') return;
  const message = `${task.id} goes back to its worker: ${notes.split('\n')[0] ?? ''}`;
  workshop.events.emit({ event: 'notice', level: 'warning', message });
}
