import * as z from 'zod';
import { listWorkToBuildOn, type WorkToBuildOn } from '../../core/schedule/work-to-build-on.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { joinFirstItems } from '../../policy/policy-rules.ts';
import { type RunContext, warnOnce } from '../run-context.ts';
import type { StartPoint } from '../start-point.ts';

/** Names what a task would start from now; the same text as long as that is the same. */
export function describeWorkToBuildOn(
  { config }: Pick<RunContext, 'config'>,
  task: Task,
  tasks: readonly Task[],
): string {
  return describeWorkBelow(listWorkToBuildOn(task, tasks, config.concurrency.overlap));
}

function describeWorkBelow(below: readonly WorkToBuildOn[]): string {
  return below.map(({ task, commit }) => `${task} ${commit}`).join('\n');
}

/**
 * Blocks a task while the work it would be built on conflicts with itself or with the base: one of these must land
 * first, or go back. Reports it once, and stores it for other processes to read.
 */
export async function blockTaskOnConflict(
  context: Pick<RunContext, 'events' | 'run' | 'trialCache'>,
  { task, ground }: { readonly task: Task; readonly ground: string },
  conflict: Extract<StartPoint, { readonly kind: 'conflict' }>,
): Promise<void> {
  const { blockedByConflict } = context.run;
  const because = `it would be stacked on the work of ${conflict.with}, which conflicts with the base or with other work that has not landed, in ${joinFirstItems(conflict.paths)}`;
  blockedByConflict.set(`${task.session} ${task.id}`, { ground, because });
  warnOnce(context, `${task.id} waits: ${because}.`, {
    details: ['It starts once one of them has landed or was sent back.'],
  });
  const text = JSON.stringify([...blockedByConflict].map(([key, held]) => ({ key, ...held })));
  // A process that may not write there goes on without.
  await context.trialCache.write(keyOf(task.session), text).catch(() => undefined);
}

const notedSchema = z.array(z.object({ key: z.string(), ground: z.string(), because: z.string() }));

/** Reads why conflicts block tasks now, by their id, as the run that found it stored. */
export async function loadConflictBlocks(
  { trialCache }: Pick<RunContext, 'trialCache'>,
  session: SessionId,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, string>> {
  const noted = parseNoted(await trialCache.read(keyOf(session)));
  const held = new Map(noted.map(({ key, ...one }) => [key, one]));
  const found = tasks.flatMap((task): [string, string][] => {
    const one = task.status === 'pending' ? held.get(`${session} ${task.id}`) : undefined;
    // Only tasks that are built on others are blocked.
    const isSo = one !== undefined && one.ground === describeWorkBelow(listWorkToBuildOn(task, tasks, 'build-on'));
    return isSo ? [[task.id, one.because]] : [];
  });
  return new Map(found);
}

function parseNoted(text: string | null): z.infer<typeof notedSchema> {
  try {
    return text === null ? [] : notedSchema.parse(JSON.parse(text));
  } catch {
    // Another process was writing it, or another version did.
    return [];
  }
}

function keyOf(session: SessionId): string {
  return `held apart ${session}`;
}

/** Tasks without those a conflict blocks now, or that the lead agent has not assigned. */
export function leaveOutConflictBlockedTasks(
  context: Pick<RunContext, 'config' | 'run'>,
  tasks: readonly Task[],
): readonly Task[] {
  const { blockedByConflict: held, assigned } = context.run;
  return tasks.filter((task) => {
    if (task.status !== 'pending') return true;
    if (assigned?.has(task.id) === false) return false;
    const one = held.get(`${task.session} ${task.id}`);
    return one === undefined || one.ground !== describeWorkToBuildOn(context, task, tasks);
  });
}
