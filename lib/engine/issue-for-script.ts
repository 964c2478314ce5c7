import { findRoleAdapter, type TaskAgentSettings } from '../domain/config/role-adapter-and-model.ts';
import type { Failure } from '../domain/failure.ts';
import { refusedError } from '../domain/flame-error.ts';
import { adapterTalksToModel } from '../domain/ports/adapter.ts';
import type { AttemptAdapterAndModel } from '../domain/state/attempt-record.ts';
import { expandTaskAttempts } from '../domain/state/task-facts.ts';
import type { RunContext } from './run-context.ts';

type Sourced = TaskAgentSettings & {
  readonly source?: string | undefined;
  readonly attempts?: readonly AttemptAdapterAndModel[] | undefined;
};
type Adapters = Pick<RunContext, 'adapter' | 'config'>;

/** Why a task made of an issue is not begun: a script's adapter would run what its author wrote. null: it may be. */
export function findIssueAsScriptFailure(context: Adapters, task: Sourced): Failure | null {
  if (!isIssueForScript(context, task)) return null;
  return {
    kind: 'violation',
    message: `The task comes from ${task.source}, and its adapter would run the issue's text as a shell script.`,
    details: [
      'Choose an adapter that asks a model (roles.worker.adapter), then: git flame task release. Or add a task with a script of your own.',
    ],
    retryable: false,
  };
}

/** Throws FlameError `issue-as-script` where one of the tasks to be added was made of an issue and would be run as a script. */
export function requireNoIssueScripts(context: Adapters, added: readonly Sourced[]): void {
  const found = added.find((task) => isIssueForScript(context, task));
  if (found === undefined) return;
  throw refusedError(
    'issue-as-script',
    `Nothing was added: workers are scripts here, so the text of ${found.source} would run as one.`,
    [
      'git flame task add TITLE --description SCRIPT --locks PATH',
      'set roles.worker.adapter to one that asks a model (in .blueflame.yml), then add it again',
    ],
  );
}

function isIssueForScript({ adapter, config }: Adapters, task: Sourced): boolean {
  if (task.source === undefined) return false;
  return expandTaskAttempts(task).some((one) => !adapterTalksToModel(adapter(findRoleAdapter(config, 'worker', one))));
}
