import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { createAgentRunner } from '../../cell/agent-runner.ts';
import type { RunnerOptions } from '../../cell/run/make-context.ts';
import type { RunnerContext } from '../../cell/runner-context.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { EventBody } from '../../domain/shown/event.ts';
import { type Finding, finding } from '../../domain/shown/finding.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { createRunMemory } from '../../engine/run-memory.ts';
import { isSetup, rememberRuns } from '../../engine/validate/failing-on.ts';
import {
  type DiagnosticParts,
  failedDiagnostics,
  hasDiagnostics,
  inScratch,
  runDiagnostics,
} from '../../engine/validate/run-diagnostics.ts';
import { describeFailing, lastLines, waysOnFrom } from '../../engine/work/base-checks.ts';
import { type Base, findBase } from '../../engine/work/preflight.ts';
import { worktreePath } from '../../engine/workshop.ts';
import { shortId } from '../../util/short-id.ts';
import { createMachine } from '../open/machine.ts';
import { triedBefore } from '../open/tried-before.ts';

/** A person waits at the terminal: all of them together have so long. */
const longestMs = 120_000;

interface DiagnosticsTrial {
  readonly git: GitPort;
  readonly options: RunnerOptions;
  readonly context: RunnerContext;
  /** Whether the person allowed what this repository's files ask for. */
  readonly isAllowed: boolean;
}

const about = { area: 'programs', check: 'diagnostics', isRequired: false } as const;

/** The setup and the diagnostics, tried on the base in a worktree that is thrown away; nothing where none is configured. */
export async function examineDiagnostics(
  { git, options, context, isAllowed }: DiagnosticsTrial,
  limitMs = longestMs,
): Promise<readonly Finding[]> {
  const { config } = options;
  const root = git.repository.mainWorkTree;
  if (root === null || !(hasDiagnostics({ config }) || config.project.setup.length > 0)) return [];
  if (!isAllowed)
    return [untried("what this repository's files ask for is not allowed", ['git flame trust'])];
  const { confinement } = await context.sandbox();
  if (confinement !== 'bubblewrap' && confinement !== 'seatbelt')
    return [untried('nothing here confines what they run')];
  const base = await findBase({ git, config, root }).catch(ignoreKnown);
  if (base === null) return [];
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  const stop = (): void => limit.abort();
  options.signal?.addEventListener('abort', stop, { once: true });
  const told: EventBody[] = [];
  const agents = createAgentRunner({ ...options, signal: limit.signal });
  try {
    const parts: DiagnosticParts = {
      config,
      git,
      agents,
      root,
      signal: limit.signal,
      machine: createMachine(options.env),
      events: { emit: (event) => void told.push(event) },
      run: createRunMemory(),
    };
    const runs = await withoutTrace(parts, () => tryOn(parts, base));
    // Work begins by what was found last, here or there.
    if (hasDiagnostics({ config }))
      await rememberRuns({ config, tried: triedBefore(git.repository.commonDir) }, base.commit, runs);
    return await describeRuns(parts, base, runs, told);
  } catch (error) {
    // The person's own stop ends the command.
    if (!limit.signal.aborted || options.signal?.aborted === true) throw error;
    return [untried(`they took longer than the ${limitMs / 1000} s that are waited for here`)];
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', stop);
    await agents.close();
  }
}

function tryOn(parts: DiagnosticParts, { commit }: Base): Promise<readonly DiagnosticRun[]> {
  return inScratch(parts, commit, (cell) => runDiagnostics(parts, cell, null));
}

/** Without the folder of worktrees either, where there was none before. */
async function withoutTrace<T>(parts: DiagnosticParts, work: () => Promise<T>): Promise<T> {
  const folder = worktreePath(parts);
  const isThere = existsSync(folder);
  try {
    return await work();
  } finally {
    // Another process may have begun to work in it.
    if (!isThere) await rmdir(folder).catch(() => undefined);
  }
}

async function describeRuns(
  parts: DiagnosticParts,
  { branch, commit }: Base,
  runs: readonly DiagnosticRun[],
  told: readonly EventBody[],
): Promise<readonly Finding[]> {
  const failing = failedDiagnostics(runs);
  const warnings = told.flatMap((event) =>
    event.event === 'notice'
      ? [
          finding({
            ...about,
            check: 'preparation',
            result: 'weaker',
            message: event.message,
            hints: event.details ?? [],
          }),
        ]
      : [],
  );
  if (failing.length === 0) {
    const tried = runs.length === 0 ? 'project.setup' : runs.map(({ command }) => command).join(', ');
    const message = `Tried on ${branch} at ${shortId(commit)}, and passed: ${tried}.`;
    return [finding({ ...about, result: 'proven', message }), ...warnings];
  }
  const ways = await waysOnFrom(parts, commit);
  const found = failing.map((run) => {
    const isRequired = isSetup(parts, run);
    return finding({
      ...{ ...about, result: 'missing', isRequired },
      message: isRequired
        ? `project.setup fails on ${branch}, so no agent can be given a worktree.`
        : `${describeFailing(run, branch)}, so only a task that mends it can pass.`,
      details: lastLines(run.output),
      hints: isRequired ? ['Mend project.setup in .blueflame.yml, or what it needs.'] : ways,
    });
  });
  return [...found, ...warnings];
}

function untried(why: string, hints: readonly string[] = []): Finding {
  const message = `Whether the diagnostics pass on the base was not tried: ${why}.`;
  return finding({ ...about, result: 'weaker', message, hints });
}

/** A base that isn't there is a finding of its own. */
function ignoreKnown(error: unknown): null {
  if (error instanceof FlameError) return null;
  throw error;
}
