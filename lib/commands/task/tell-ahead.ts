import { workElsewhere } from '../../core/schedule/work-below.ts';
import type { SessionId, TaskId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import { handWorktree } from '../../engine/by-hand/hand-task.ts';
import { createLookout } from '../../engine/radar/lookout.ts';
import { viewSession } from '../../engine/record.ts';
import type { Workshop } from '../../engine/workshop.ts';
import { describeConflict } from '../../ui/render/render-ahead.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { aheadOf } from '../open/read-ahead.ts';

/** The longest wait for a person, in milliseconds. */
const lookMs = 1_000;
const mostTrials = 20;

/** Says to who has just taken up a task which work it would stand on, had that not come from another clone. */
export async function tellElsewhere(
  { workshop, output }: { readonly workshop: Workshop; readonly output: Pick<Output, 'info' | 'hint'> },
  session: SessionId,
  task: Task,
): Promise<void> {
  if (workshop.config.concurrency.overlap === 'separate') return;
  const { received } = await viewSession(workshop, session);
  for (const { task: id, lock } of workElsewhere(task, received)) {
    const on = lock === null ? '' : ` on ${visibleLine(lock)}`;
    output.info(
      `Not in it: the work of ${id}${on}, which came from another clone and doesn't count here yet.`,
    );
    output.hint(`git flame show ${id} --diff`);
  }
}

/** Says to who has just taken up a task, or handed it in, what its work conflicts with by now. */
export async function tellAhead(
  { workshop, output }: { readonly workshop: Workshop; readonly output: Pick<Output, 'info'> },
  session: SessionId,
  task: TaskId,
): Promise<void> {
  const view = await viewSession(workshop, session);
  const lookout = createLookout({ ...workshop, worktreeOf: (one) => handWorktree(workshop, one) });
  const signal = AbortSignal.any([workshop.signal, AbortSignal.timeout(lookMs)]);
  const ahead = aheadOf(await lookout.look(view, { trials: mostTrials, signal }), task);
  for (const conflict of ahead?.found ?? []) output.info(`Ahead: ${describeConflict(conflict)}.`);
}
