import { lstatSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { stringify } from 'yaml';
import type { ReadyCli } from '../../cell/run/ready-clis.ts';
import { defaultCommands } from '../../domain/config/config-rules.ts';
import type { KnownInstall } from '../../domain/known-installs.ts';
import { programPath } from '../../util/program-path.ts';
import { lockFiles, type Proposal, projectFiles, proposeCommands, type Room } from './propose-commands.ts';

interface Beginning {
  readonly project: { readonly name: string; readonly base_branch?: string };
  /** The CLI of every role; null: claude, as built in. */
  readonly cli: ReadyCli | null;
  readonly proposal: Proposal | null;
  /** Limits to begin with; null: those built in. */
  readonly room: Room | null;
}

/** What the project's own files say of its tests, as far as the programs for it are in PATH; null: nothing. */
export function readProposal(root: string, searchPath: string | undefined): Proposal | null {
  const contents = projectFiles.flatMap((name) => {
    const text = readSmallFile(join(root, name));
    return text === null ? [] : [[name, text] as const];
  });
  const locks = lockFiles.filter((name) => isFile(join(root, name)));
  const has = (program: string): boolean => isAbsolute(programPath(program, searchPath));
  return proposeCommands({ contents: new Map(contents), locks: new Set(locks), has });
}

/** Writes the configuration to begin with. Throws EEXIST where there is one. */
export async function writeConfig(root: string, beginning: Beginning): Promise<void> {
  await writeFile(join(root, '.blueflame.yml'), configText(beginning), { flag: 'wx' });
}

function configText({ project, cli, proposal, room }: Beginning): string {
  const { name: _, ...setting } = cli ?? { name: null };
  const rules =
    proposal === null || proposal.allowed.length === 0
      ? {}
      : { permissions: { bash_rules: { allowed_commands: [...defaultCommands, ...proposal.allowed] } } };
  const checks =
    proposal === null || proposal.tests.length === 0
      ? {}
      : { validation: { validator_diagnostics: { commands: [...proposal.tests], timeout: '10m' } } };
  const setup = proposal?.install == null ? '' : setupHint(proposal.install);
  const limits = room === null ? {} : { limits: room };
  const begin = stringify({ schema_version: 1, project, ...setting, ...rules, ...checks, ...limits });
  return `${configHead}${begin}\n${[
    ...('permissions' in rules ? [] : [permissionsHint]),
    ...('validation' in checks ? [] : [validationHint]),
    setup,
    room === null ? limitsHint : budgetHint,
  ].join('')}`;
}

const largestFile = 1024 * 1024;

/** null where there is none, or no plain file of a usual size. */
function readSmallFile(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > largestFile) return null;
  return readFileSync(path, 'utf8');
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const configHead = `# What git flame goes by; every key is optional. All keys with their meaning:
# git flame config example. What is in force, and why: git flame config
# An editor completes them after: git flame config schema > .git/blueflame.schema.json
# and with this as the first line: # yaml-language-server: $schema=.git/blueflame.schema.json
`;

// The keys to begin with, as comments: what a project allows is for its lead to say.

const permissionsHint = `# permissions:
#   allowed_paths: ['src/**', 'test/**']    # the files agents may change
#   bash_rules:                             # the tests and builds they may run: without network, judged afterwards
#     allowed_commands: [npm test, npm run, npx, node, make, pytest, cargo, go, rm, git mv, git rm]
`;

const validationHint = `# validation:
#   validator_diagnostics:
#     commands: [npm test]                  # what fails here never lands by itself
`;

const setupHint = ({ command, preset }: KnownInstall): string =>
  `# Worktrees of agents begin without dependencies. To bring them, made once for each lock file, below project:
#   setup: [${command}]
# Cells reach no network but what is named, or from-config: the registry that your own settings name.
# sandbox: { egress: { setup: [${preset}] } }

`;

const budgetHint = `# A limit in dollars, below limits: max_session_cost_usd: 10. The run pauses and asks when it is spent.
`;

const limitsHint = `# limits:
#   max_session_cost_usd: 10                # the run pauses and asks when it is spent
#   agent_timeout: 20m                      # longer tasks fit in; built in: 5m. You are asked once for
#   token_budget: { validator_usd: 0.5 }    # what is looser than built in (git flame trust); built in: 0.15
`;
