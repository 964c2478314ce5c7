import { makeRunnerContext } from '../../cell/run/make-context.ts';
import { configSchema } from '../../domain/config/config.ts';
import type { KnownInstall } from '../../domain/known-installs.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { failedDiagnostics } from '../../engine/validate/run-diagnostics.ts';
import { describeFailing, lastLines } from '../../engine/work/base-checks.ts';
import { runnerOptions } from '../open/runner-options.ts';
import { tryOnBase } from '../open/try-on-base.ts';
import type { Proposal } from './propose-commands.ts';

/** The part of a proposal that works. */
export interface Tried {
  /** The checks that passed; all that were proposed where they could not be tried. */
  readonly tests: readonly string[];
  /** The install they need in a worktree; null: they pass without. */
  readonly install: KnownInstall | null;
  /** One clause for each check that failed, with the line that says most. */
  readonly failing: readonly string[];
  /** Why nothing was tried; null: it was. */
  readonly untried: string | null;
}

interface Parts {
  readonly git: GitPort;
  readonly io: Io;
  readonly project: { readonly name: string; readonly base_branch?: string };
  readonly proposal: Proposal;
}

/**
 * Tries the proposed checks on the base branch, in cells: first as a worktree is, then with the dependencies that the
 * project names, then without the scripts that npm runs around them.
 */
export async function tryProposal(parts: Parts): Promise<Tried> {
  const { tests, install, withoutHooks } = parts.proposal;
  const bare = await attempt(parts, tests, null);
  if (bare.untried !== null || bare.failing.length === 0) return bare;
  const prepared = install === null ? bare : await attempt(parts, tests, install);
  const best = prepared.tests.length > bare.tests.length ? prepared : { ...bare, failing: prepared.failing };
  if (withoutHooks === null || best.tests.includes('npm test')) return best;
  const without = await attempt(parts, [withoutHooks], install);
  return without.tests.length === 0 ? best : { ...without, tests: [...best.tests, ...without.tests] };
}

async function attempt(
  { git, io, project }: Parts,
  tests: readonly string[],
  install: KnownInstall | null,
): Promise<Tried> {
  const config = configSchema.parse({
    project: { ...project, setup: install === null ? [] : [install.command] },
    sandbox: { egress: { setup: install === null ? [] : [install.preset] } },
    validation: { validator_diagnostics: { commands: tests, timeout: '2m' } },
  });
  const options = runnerOptions(git, config, io);
  const context = makeRunnerContext(options);
  const trial = await tryOnBase({ git, options, context });
  if (trial === null) return untried(tests, 'there is no commit to try them on');
  if ('untried' in trial) return untried(tests, trial.untried);
  const failing = failedDiagnostics(trial.runs);
  return {
    tests: trial.runs.filter((run) => !failing.includes(run)).map(({ command }) => command),
    install,
    failing: failing.map((run) => describe(run, trial.base.branch)),
    untried: null,
  };
}

function untried(tests: readonly string[], why: string): Tried {
  return { tests, install: null, failing: [], untried: why };
}

function describe(run: DiagnosticRun, branch: string): string {
  const lines = lastLines(run.output).filter((line) => line.trim() !== '');
  const said = lines.find((line) => /error|not found|cannot|fail/i.test(line)) ?? lines.at(-1) ?? '';
  const shown = said
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, 200);
  return `${describeFailing(run, branch)}${shown === '' ? '' : `: ${shown}`}`;
}
