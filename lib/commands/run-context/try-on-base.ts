import { createAgentRunner } from '../../cell/agent-runner.ts';
import type { RunnerOptions } from '../../cell/run/make-context.ts';
import type { RunnerContext } from '../../cell/runner-context.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import type { RunEventBody } from '../../domain/view-models/run-event.ts';
import { createRunMemory } from '../../engine/run-memory.ts';
import {
  cacheBaseDiagnostics,
  type DiagnosticPorts,
  hasDiagnostics,
  runDiagnostics,
  workInScratchWorktree,
} from '../../engine/validate/run-diagnostics.ts';
import { type BaseBranch, findBaseBranch } from '../../engine/work/preflight.ts';
import { openTrialCache } from '../context/waits-and-conflicts.ts';
import { createMachine } from './machine-port.ts';

/** A person waits at the terminal: all commands together have so long. */
const longestMs = 120_000;

export interface BaseDiagnosticsRequest {
  readonly git: GitPort;
  readonly options: RunnerOptions;
  readonly context: RunnerContext;
}

export interface BaseDiagnosticsTrial {
  readonly parts: DiagnosticPorts;
  readonly base: BaseBranch;
  /** One for each diagnostic, or one `setup` where preparing the worktree failed. */
  readonly runs: readonly DiagnosticRun[];
  readonly notices: readonly Extract<RunEventBody, { event: 'notice' }>[];
}

/**
 * Tries project.setup and the diagnostics on the base branch, in cells and in a worktree that is removed afterwards.
 * Answers why they were not tried as `untried`; null: there is no base, or nothing to try. Rejects when the person
 * stops it.
 */
export async function tryDiagnosticsOnBase(
  { git, options, context }: BaseDiagnosticsRequest,
  limitMs = longestMs,
): Promise<BaseDiagnosticsTrial | { readonly untried: string } | null> {
  const { config } = options;
  const root = git.repository.mainWorkTree;
  if (root === null || !(hasDiagnostics({ config }) || config.project.setup.length > 0)) return null;
  const { confinement } = await context.sandbox();
  if (confinement !== 'bubblewrap' && confinement !== 'seatbelt')
    return { untried: 'no sandbox confines what they run' };
  const base = await findBaseBranch({ git, config, root }).catch(ignoreKnown);
  if (base === null) return null;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  const stop = (): void => limit.abort();
  options.signal?.addEventListener('abort', stop, { once: true });
  const notices: Extract<RunEventBody, { event: 'notice' }>[] = [];
  const agents = createAgentRunner({ ...options, signal: limit.signal });
  try {
    const parts: DiagnosticPorts = {
      config,
      git,
      agents,
      root,
      signal: limit.signal,
      machine: createMachine(options.env),
      events: { emit: (event) => void (event.event === 'notice' && notices.push(event)) },
      run: createRunMemory(),
    };
    const runs = await workInScratchWorktree(parts, base.commit, (cell) => runDiagnostics(parts, cell, null));
    // A run begins with what was found last, here or there.
    if (hasDiagnostics({ config }))
      await cacheBaseDiagnostics({ config, trialCache: openTrialCache(git.repository.commonDir) }, base.commit, runs);
    return { parts, base, runs, notices };
  } catch (error) {
    // The person's own stop ends the command.
    if (!limit.signal.aborted || options.signal?.aborted === true) throw error;
    return { untried: `they took longer than the ${limitMs / 1000} s allowed here` };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', stop);
    await agents.close();
  }
}

/** A base that isn't there is a finding of its own. */
function ignoreKnown(error: unknown): null {
  if (error instanceof FlameError) return null;
  throw error;
}
