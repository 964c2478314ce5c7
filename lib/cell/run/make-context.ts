import { readRepositorySettings, renderGitConfigForCell } from '../../git/process/git-settings.ts';
import { decideToolCall } from '../../policy/decide-tool-call.ts';
import { closeInheritedDescriptors } from '../../util/close-inherited.ts';
import { findFastestWatcherClient } from '../probes/probe-watcher.ts';
import { probeSandbox } from '../probes/sandbox-probe.ts';
import type { RunnerContext, VisibleWorkTreePaths } from '../runner-context.ts';
import { findVisibleWorkTreePaths } from '../sandbox/hidden-files.ts';
import { listSearchFolders } from '../sandbox/tool-paths.ts';
import { prepareAdapter } from './adapter-programs.ts';

export interface RunnerOptions
  extends Pick<RunnerContext, 'config' | 'repository' | 'env' | 'adapters' | 'distDir' | 'now'> {
  /**
   * Aborts when the person stops the program: diagnostics end. Agents are ended by the code that started
   * them.
   */
  readonly signal?: AbortSignal | undefined;
  /** Aborts when the person doesn't want to wait: everything ends at once. */
  readonly hurry?: AbortSignal | undefined;
}

// Agents that start together look once.
const lookAgainMs = 1_000;

/** Makes the context of cells; tries what works on this machine when that is first asked for, once. */
export function makeRunnerContext(options: RunnerOptions): RunnerContext {
  // The command line has done it by now; what else makes cells may not have.
  closeInheritedDescriptors([]);
  const { config, env } = options;
  const prepared = new Map<string, Promise<string | null>>();
  let found: { readonly view: Promise<VisibleWorkTreePaths>; readonly at: number } | null = null;
  const context: RunnerContext = {
    ...options,
    decide: decideToolCall,
    installs: new Map(),
    answers: new Map(),
    limits: {
      cpuSeconds: config.sandbox.max_cpu_seconds,
      memoryMb: config.sandbox.max_memory_mb,
      fileSizeMb: config.sandbox.max_file_size_mb,
      diskMb: config.sandbox.max_disk_mb,
      openFiles: config.sandbox.max_open_files,
      processes: config.sandbox.max_processes,
    },
    searchFolders: listSearchFolders(env.PATH ?? '/usr/local/bin:/usr/bin:/bin'),
    gitConfig: once(() => readRepositorySettings(env, options.repository.commonDir).then(renderGitConfigForCell)),
    workTree: () => {
      const now = performance.now();
      if (found === null || now - found.at > lookAgainMs) found = { view: findVisibleWorkTreePaths(options), at: now };
      return found.view;
    },
    sandbox: once(() => probeSandbox(env)),
    watcher: once(() => findFastestWatcherClient(context)),
    prepared: (adapter) => {
      const asked = prepared.get(adapter.name) ?? prepareAdapter(context, adapter);
      prepared.set(adapter.name, asked);
      return asked;
    },
  };
  return context;
}

function once<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let asked: Promise<Result> | null = null;
  return () => {
    asked ??= ask();
    return asked;
  };
}
