import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { GitLimits } from '../../domain/config/checked-work-limits.ts';
import { commandStoppedError, FlameError } from '../../domain/flame-error.ts';
import { programPath } from '../../util/child-programs.ts';
import { listWords } from '../../util/sort-and-group.ts';

/** Limits a git that reads an agent's files: they can be made so that git takes for ever, or all memory. */
export interface GitRunLimits {
  readonly limits: GitLimits;
  /** Aborted when the person stops the program: ends this git, and all else that reads those files. */
  readonly stopped?: AbortSignal | undefined;
  /** A lock of the tool's own that git leaves where it is ended. */
  readonly lock?: string;
  /** Makes the error of its end, where it reads no agent's files: `cause` is `took longer than 15 s` and the like. */
  readonly makeError?: (cause: string) => FlameError;
}

/** Why a git was ended: `cell-git-ended`, the error of `makeError`, or `interrupted`; null: it ended by itself. */
type ExplainEnd = (verb: string, stderr: string) => FlameError | null;

/** Milliseconds between SIGTERM, at which git removes its locks, and SIGKILL. */
const graceMs = 2_000;

const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) end(child, 'SIGKILL');
});

// Memory by what a process writes: git maps packs that are larger. At the hard limit of processor time Linux kills
// without a reason: only SIGXCPU, at the soft limit before it, shows why git ended.
const script =
  '{ ulimit -St "$1" && ulimit -Ht $(($1 + 1)) || ulimit -t "$1"; } 2>/dev/null; ulimit -d "$2" 2>/dev/null; ulimit -c 0 2>/dev/null; shift 2; exec "$@"';

/** The command under its limits; it dies with this process where the system can see to that. */
export function limitGitCommandLine(
  guard: GitRunLimits | undefined,
  argv: readonly string[],
  searchPath: string | undefined,
): readonly string[] {
  if (guard === undefined) return argv;
  const { cpuSeconds, memoryMb } = guard.limits;
  const limited = ['/bin/sh', '-c', script, 'git', String(cpuSeconds), String(memoryMb * 1024), ...argv];
  const setpriv = process.platform === 'linux' ? programPath('setpriv', searchPath) : '';
  return isAbsolute(setpriv) ? [setpriv, '--pdeathsig', 'KILL', '--', ...limited] : limited;
}

/**
 * Ends a child, which leads a process group, at its time limit and after the program was stopped: it and all it started
 * get SIGTERM, then SIGKILL, until the last has closed its outputs. They end with this process, too.
 */
export function enforceLimits(guard: GitRunLimits | undefined, child: ChildProcess): ExplainEnd {
  if (guard === undefined) return () => null;
  let reason: string | null = null;
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, action: () => void): void => void timers.push(setTimeout(action, ms));
  const stop = (why: string): void => {
    reason ??= why;
    end(child, 'SIGTERM');
    after(graceMs, () => end(child, 'SIGKILL'));
  };
  const { limits, stopped, lock, makeError } = guard;
  const interrupt = (): void => stop('was stopped, because the program was stopped');
  if (Number.isFinite(limits.wallMs)) after(limits.wallMs, () => stop(`took longer than ${limits.wallMs / 1_000} s`));
  if (stopped?.aborted) interrupt();
  else stopped?.addEventListener('abort', interrupt, { once: true });
  const ended = (name: NodeJS.Signals | null): void => {
    living.delete(child);
    for (const timer of timers) clearTimeout(timer);
    stopped?.removeEventListener('abort', interrupt);
    if (name === 'SIGXCPU') reason ??= `took more than ${limits.cpuSeconds} s of processor time`;
    if (name !== null) reason ??= `was stopped by ${name}`;
    if (reason !== null && lock !== undefined) rmSync(lock, { force: true });
  };
  living.add(child);
  child.once('error', () => ended(null));
  child.once('close', (_, name) => ended(name));
  return (verb, stderr) => {
    // No fault of what the agent left.
    if (reason !== null && stopped?.aborted) return stoppedError();
    const cause = /out of memory|Cannot allocate memory/i.test(stderr)
      ? `needed more than ${limits.memoryMb} MB of memory`
      : reason;
    if (cause === null) return null;
    return makeError === undefined ? endedError(verb, cause) : makeError(cause);
  };
}

/** Throws FlameError `interrupted` once the person stopped the program: all that reads an agent's files calls it. */
export function requireNotStopped({ stopped }: Pick<GitRunLimits, 'stopped'>): void {
  if (stopped?.aborted) throw stoppedError();
}

function stoppedError(): FlameError {
  return commandStoppedError("Stopped while an agent's work was judged. The next run continues there.", {
    hints: ['git flame run'],
  });
}

function endedError(verb: string, cause: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'cell-git-ended',
    message: `git ${verb} ${cause} on the agent's work. The work stays in its worktree and is not judged.`,
  });
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It is gone.
  }
}

/** Of a GitContext, what its variables come from. */
interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly variables?: Readonly<Record<string, string>>;
}

// `git rev-parse --local-env-vars`: hooks and `git --git-dir` export these, and a child would then work
// on the wrong repository.
const localVariables = new Set(
  listWords(`
  GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_OBJECT_DIRECTORY GIT_DIR
  GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE GIT_INDEX_FILE GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE
  GIT_PREFIX GIT_SHALLOW_FILE GIT_COMMON_DIR
`),
);

/** Nothing the repository or an agent set up may run when the tool itself calls git. */
export const safeGitConfigOptions = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
  '-c',
  'color.ui=false',
  '-c',
  'core.quotePath=false',
];

/** The environment of a git, with what binds it to its place. */
export function buildBoundGitEnvironment(
  { env, variables }: Surroundings,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { ...buildCleanGitEnvironment(env), ...variables, ...extra };
}

/** The git that PATH leads to. */
export function findGitOnPath(env: Readonly<Record<string, string>>): string {
  return programPath('git', env.PATH);
}

/** The environment for git children: optional locks off, messages in English, no prompts. */
export function buildCleanGitEnvironment(env: Surroundings['env']): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !localVariables.has(entry[0]) && !/^GIT_CONFIG_(?:KEY|VALUE)_/.test(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '0',
    LC_ALL: 'C.UTF-8',
  };
}
