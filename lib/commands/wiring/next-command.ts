import { type Action, nextAction } from '../../core/next-action.ts';
import type { CommandName } from '../../domain/command-args.ts';
import type { Session } from '../../domain/session.ts';
import type { Task } from '../../domain/task.ts';
import { unreachable } from '../../util/unreachable.ts';

/** What a person types next, as a whole command; null when nothing is left to do. */
export function nextCommand(session: Session | null, tasks: readonly Task[]): string | null {
  if (session === null) return "git flame run 'What you want done'";
  const action = nextAction({ session, tasks, maxCycles: Number.POSITIVE_INFINITY });
  if (action.kind === 'wait') return `git flame task submit ${action.tasks[0]?.id ?? ''}`;
  if (action.kind === 'end') return afterEnd(tasks);
  const command = commandFor(action);
  return command === null ? null : `git flame ${command}`;
}

/** What failed for good is looked into: its story says how it can go on. */
function afterEnd(tasks: readonly Task[]): string | null {
  const failed = tasks.find(({ status }) => status === 'failed');
  return failed === undefined ? null : `git flame show ${failed.id}`;
}

/** The command that performs an action; null when there is nothing left, or somebody else is at work. */
export function commandFor(action: Action): CommandName | null {
  switch (action.kind) {
    case 'plan':
    case 'work':
    case 'validate':
    case 'merge':
    case 'review':
      return action.kind;
    case 'end-cycle':
      return 'work';
    case 'wait':
    case 'end':
      return null;
    default:
      return unreachable(action);
  }
}
