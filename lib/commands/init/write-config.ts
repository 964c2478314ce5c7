import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { stringify } from 'yaml';
import type { UsableAgentCli } from '../../cell/run/adapter-programs.ts';
import { makeRunnerContext } from '../../cell/run/make-context.ts';
import { defaultAllowedCommands } from '../../domain/config/config-rules.ts';
import { configSchema } from '../../domain/config/config-schema.ts';
import { supportedSchemaVersion } from '../../domain/config/schema-version.ts';
import type { InstallCommand } from '../../domain/install-commands.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { filterFailedDiagnostics } from '../../engine/validate/run-diagnostics.ts';
import { describeFailingDiagnostic, lastLines } from '../../engine/work/failing-base.ts';
import { programPath } from '../../util/child-programs.ts';
import { buildRunnerOptions } from '../run-context/run-config.ts';
import { tryDiagnosticsOnBase } from '../run-context/try-on-base.ts';
import { type BuildLimits, type ProposedCommands, proposeProjectCommands } from './propose-commands.ts';

interface Beginning {
  readonly project: { readonly name: string; readonly base_branch?: string };
  /** The CLI of every role; null: claude, as built in. */
  readonly cli: UsableAgentCli | null;
  readonly proposal: ProposedCommands | null;
  /** The checks that work; null: they were not tried. */
  readonly tried: TrialResult | null;
  /** Limits to begin with; null: those built in. */
  readonly room: BuildLimits | null;
}

/** Reads test commands from the project's files, as far as their programs are in PATH; null: none. */
export function proposeCommandsForProject(root: string, searchPath: string | undefined): ProposedCommands | null {
  return proposeProjectCommands({
    names: new Set(readdirSync(root)),
    textOf: (name) => readSmallFile(join(root, name)),
    has: (program) => isAbsolute(programPath(program, searchPath)),
  });
}

/** Writes the configuration to begin with. Throws EEXIST where there is one. */
export async function writeConfig(root: string, beginning: Beginning): Promise<void> {
  await writeFile(join(root, '.blueflame.yml'), configText(beginning), { flag: 'wx' });
}

function configText({ project, cli, proposal, tried, room }: Beginning): string {
  const { name: _, ...setting } = cli ?? { name: null };
  const rules =
    proposal === null || proposal.allowed.length === 0
      ? {}
      : {
          permissions: { bash_rules: { allowed_commands: [...defaultAllowedCommands, ...proposal.allowed] } },
        };
  const tests = tried?.tests ?? proposal?.tests ?? [];
  const checks =
    tests.length === 0 ? {} : { validation: { validator_diagnostics: { commands: [...tests], timeout: '10m' } } };
  const needed = tried?.install ?? null;
  const setup =
    needed === null
      ? { project }
      : {
          project: { ...project, setup: [needed.command] },
          sandbox: { egress: { setup: [needed.preset] } },
        };
  const limits = room === null ? {} : { limits: room };
  const begin = stringify({
    schema_version: supportedSchemaVersion,
    ...setup,
    ...setting,
    ...rules,
    ...checks,
    ...limits,
  });
  return `${configHead}${begin}\n${[
    ...(tried?.failing ?? []).map((clause) => `# Tried, not used: ${clause}\n`),
    ...('permissions' in rules ? [] : [permissionsHint]),
    ...('validation' in checks ? [] : [validationHint]),
    needed !== null || proposal?.install == null ? '' : setupHint(proposal.install),
    room === null ? limitsHint : budgetHint,
  ].join('')}`;
}

const largestFile = 1024 * 1024;

/** '' where there is none, or no plain file of a usual size. */
function readSmallFile(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= largestFile ? readFileSync(path, 'utf8') : '';
}

const configHead = `# Configuration of git flame; every key is optional. All keys and their meaning:
# git flame config example. Effective values and their source: git flame config
# For completion in an editor: git flame config schema > .git/blueflame.schema.json
# and with this as the first line: # yaml-language-server: $schema=.git/blueflame.schema.json
`;

// The keys to begin with, as comments: what a project allows is for its lead to say.

const permissionsHint = `# permissions:
#   allowed_paths: ['src/**', 'test/**']    # the files agents may change
#   bash_rules:                             # the tests and builds they may run, without network
#     allowed_commands: [npm test, npm run, npx, node, make, pytest, cargo, go, rm, git mv, git rm]
`;

const validationHint = `# validation:
#   validator_diagnostics:
#     commands: [npm test]                  # work that fails them lands only with your override
`;

const setupHint = ({ command, preset }: InstallCommand): string =>
  `# Agents' worktrees start without dependencies. To install them, once for each lock file, below project:
#   setup: [${command}]
# Cells reach only the hosts named here; from-config is the registry that your own settings name.
# sandbox: { egress: { setup: [${preset}] } }

`;

const budgetHint = `# A limit in dollars, below limits: max_session_cost_usd: 10. The run pauses and asks when it is spent.
`;

const limitsHint = `# limits:
#   max_session_cost_usd: 10                # the run pauses and asks when it is spent
#   agent_timeout: 20m                      # for longer tasks; default: 5m. You are asked once about
#   token_budget: { validator_usd: 0.5 }    # values looser than the default (git flame trust); default: 0.15
`;

/** The part of a proposal that works. */
export interface TrialResult {
  /** The checks that passed; all that were proposed where they could not be tried. */
  readonly tests: readonly string[];
  /** The install they need in a worktree; null: they pass without. */
  readonly install: InstallCommand | null;
  /** One clause for each check that failed, with the line that says most. */
  readonly failing: readonly string[];
  /** Why nothing was tried; null: it was. */
  readonly untried: string | null;
}

interface Parts {
  readonly git: GitPort;
  readonly io: Io;
  readonly project: { readonly name: string; readonly base_branch?: string };
  readonly proposal: ProposedCommands;
}

/**
 * Tries the proposed checks on the base branch, in cells: first as a worktree is, then with the dependencies that the
 * project names, then without the scripts that npm runs around them.
 */
export async function tryProposal(parts: Parts): Promise<TrialResult> {
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
  install: InstallCommand | null,
): Promise<TrialResult> {
  const config = configSchema.parse({
    project: { ...project, setup: install === null ? [] : [install.command] },
    sandbox: { egress: { setup: install === null ? [] : [install.preset] } },
    validation: { validator_diagnostics: { commands: tests, timeout: '2m' } },
  });
  const options = buildRunnerOptions(git, config, io);
  const context = makeRunnerContext(options);
  const trial = await tryDiagnosticsOnBase({ git, options, context });
  if (trial === null) return untried(tests, 'there is no commit to try them on');
  if ('untried' in trial) return untried(tests, trial.untried);
  const failing = filterFailedDiagnostics(trial.runs);
  return {
    tests: trial.runs.filter((run) => !failing.includes(run)).map(({ command }) => command),
    install,
    failing: failing.map((run) => describe(run, trial.base.branch)),
    untried: null,
  };
}

function untried(tests: readonly string[], why: string): TrialResult {
  return { tests, install: null, failing: [], untried: why };
}

function describe(run: DiagnosticRun, branch: string): string {
  const lines = lastLines(run.output).filter((line) => line.trim() !== '');
  const said = lines.find((line) => /error|not found|cannot|fail/i.test(line)) ?? lines.at(-1) ?? '';
  const shown = said
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, 200);
  return `${describeFailingDiagnostic(run, branch)}${shown === '' ? '' : `: ${shown}`}`;
}
