import { judgeTask } from '../../core/task/task-outcome.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { type Recorder, record, taskOf } from '../record.ts';
import { needsOverride } from './run-diagnostics.ts';

/** Records a verdict and what follows for its task. */
export async function recordVerdict(workshop: Recorder, session: SessionId, verdict: Verdict): Promise<void> {
  const done = await record(workshop, session, (view) => {
    const task = taskOf(view, verdict.task);
    // The branch moved while it was judged: the verdict is about nothing any more.
    if (task.status !== 'done' || task.commit !== verdict.commit) return null;
    return { steps: [judgeTask(task, verdict)], verdict, actor: verdict.by };
  });
  if (done.kind !== 'done') return;
  const { task, commit, status, notes, by } = verdict;
  workshop.events.emit({ event: 'verdict', task, commit, status, notes, by });
}

/** The error of a pass over what failed without a reason. */
export function needsReason(
  why: string,
  { task, diagnostics }: Pick<Verdict, 'task' | 'diagnostics'>,
): FlameError {
  const message = `${why}, so it is passed by hand only with a reason that can be seen.`;
  return needsOverride(message, diagnostics, [`git flame show ${task} --diff`, 'git flame validate']);
}
