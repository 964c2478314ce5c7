import type { Failure } from '../domain/failure.ts';
import type { SessionId } from '../domain/ids.ts';
import type { RunContext } from './run-context.ts';

type ScriptName = 'post_plan' | 'pre_validation' | 'post_merge' | 'on_failure' | 'on_waiting';

/**
 * Runs one of the person's lifecycle scripts, if it is configured, with the facts as FLAME_* variables and as JSON on
 * stdin. Its failure is shown; the caller decides whether it matters. Resolves to whether it went well. `over` aborts
 * when the reason for the script is over: it is ended then, and its result is not reported.
 */
export async function runLifecycleScript(
  context: Pick<RunContext, 'config' | 'machine' | 'events' | 'root'>,
  hook: ScriptName,
  facts: Readonly<Record<string, unknown>>,
  over?: AbortSignal,
): Promise<boolean> {
  const command = context.config.hooks[hook];
  if (command === '') return true;
  const { exitCode, output } = await context.machine.runScript({
    command,
    cwd: context.root,
    timeoutMs: context.config.hooks.timeout,
    facts: { hook, ...facts },
    ...(over === undefined ? {} : { over }),
  });
  // Its result is not needed any more.
  if (over?.aborted === true) return true;
  context.events.emit({ event: 'script', hook, exit_code: exitCode, output });
  return exitCode === 0;
}

/** Runs `hooks.on_failure` for a task that failed for good. */
export async function runFailureScript(
  context: Pick<RunContext, 'config' | 'events' | 'machine' | 'root'>,
  session: SessionId,
  task: string,
  failure: Failure,
): Promise<void> {
  await runLifecycleScript(context, 'on_failure', {
    session,
    task,
    failure: failure.kind,
    message: failure.message,
  });
}
