import { waitReasons } from '../../core/schedule/wait-reasons.ts';
import { oneLine } from '../../core/task/one-line.ts';
import { nextAttempt } from '../../core/task/task-history.ts';
import type { PlannedTask } from '../../domain/state/plan.ts';
import type { Task } from '../../domain/state/task.ts';
import { isApprovedByQueen } from '../../engine/queen/judge-work.ts';
import { isLeftUnjudged } from '../../engine/queen/left-unjudged.ts';
import type { SessionView } from '../../engine/record.ts';
import { formatCount } from '../../util/format-amount.ts';
import type { PlannedLine, TaskLine } from './outputs.ts';

/** A task in short, as lists have it. */
export function describeTask(view: SessionView, task: Task, limit: number): TaskLine {
  const { id, title, status, commit, result, reason, dependencies, cohesion_group: group } = task;
  const waits = waitReasons(task, view.tasks, { limit, now: Date.now() });
  return {
    id,
    title: oneLine(title, 100),
    status,
    group,
    ...(dependencies.length === 0 ? {} : { needs: dependencies }),
    ...(commit === null ? {} : { commit: commit.slice(0, 12) }),
    ...(status === 'done' ? { verdict: result.status ?? unjudged(view, task) } : {}),
    ...(isApprovedByQueen(view, task) ? { approved: true } : {}),
    ...(reason === null ? {} : { reason }),
    ...(task.history.length === 0 ? {} : { attempt: nextAttempt(task.history) - 1 }),
    ...(waits.length === 0 ? {} : { waits_for: waits.slice(0, 3) }),
  };
}

function unjudged(view: SessionView, task: Task): string {
  return isLeftUnjudged(view, task) ? 'validators gave none' : 'not judged yet';
}

/** A task of the plan that is proposed, in short. */
export function describePlanned({ id, title, dependencies, file_locks }: PlannedTask): PlannedLine {
  return {
    id,
    title: oneLine(title, 100),
    ...(dependencies.length === 0 ? {} : { needs: dependencies }),
    file_locks: file_locks.slice(0, 10),
  };
}

function planWords(tasks: number): string {
  return tasks === 0 ? 'the plan without what is not done' : `the plan of ${formatCount(tasks, 'task')}`;
}

/** What only the person can decide now, and the command they do it with. */
export function waitsForLead(
  view: SessionView,
): readonly { readonly for: string; readonly command: string }[] {
  const { session, tasks } = view;
  const failed = tasks.filter(({ status, result }) => status === 'done' && result.status === 'fail').length;
  const unjudged = tasks.filter((task) => isLeftUnjudged(view, task)).length;
  const sets = session.changesets.filter(({ state }) => state === 'waiting').length;
  return [
    ...(session.proposal === null
      ? []
      : [{ for: planWords(session.proposal.length), command: 'git flame plan' }]),
    ...(sets === 0
      ? []
      : [{ for: `${formatCount(sets, 'changeset')} to review`, command: 'git flame review' }]),
    ...(failed === 0
      ? []
      : [
          {
            for: `${formatCount(failed, 'task')} whose validation failed, unless you reject that`,
            command: 'git flame validate',
          },
        ]),
    ...(unjudged === 0
      ? []
      : [
          {
            for: `${formatCount(unjudged, 'task')} on which validators gave no verdict, unless you reject that`,
            command: 'git flame validate',
          },
        ]),
    ...(session.state === 'stopped'
      ? [{ for: 'the session, which is stopped', command: 'git flame run' }]
      : []),
  ];
}
