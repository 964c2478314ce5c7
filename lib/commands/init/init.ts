import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { makeRunnerContext } from '../../cell/run/make-context.ts';
import { isInstalled, type ReadyCli, readyClis } from '../../cell/run/ready-clis.ts';
import { findConfigFile } from '../../config/find-config-file.ts';
import { configSchema } from '../../domain/config/config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { noBaseBranch } from '../../domain/not-found.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import { planPreparation, prepareRepository } from '../../git/setup/prepare-repository.ts';
import { renderInit } from '../../ui/render/render-init.ts';
import { readConfig, requireWorkTree } from '../open/read-config.ts';
import { type Reading, withState } from '../open/read-state.ts';
import { runnerOptions } from '../open/runner-options.ts';
import { installGitHooks, planGitHooks, uninstallAll } from './hooks-setup.ts';

/** `git flame init`: prepares a repository; what exists already is left as it is. With --uninstall it takes that back. */
export function run(args: CommandArgs<'init'>, io: Io): Promise<number> {
  return withState(args, io, async (reading) => {
    const root = requireWorkTree(reading.git);
    if (args.options.uninstall) return uninstallAll(args, io, { reading, root });
    const { git, output } = reading;
    const head = await git.head(root);
    const base = args.options.base ?? head.branch;
    if (args.options.base !== null && (await git.resolveCommit(`refs/heads/${args.options.base}`)) === null)
      throw noBaseBranch(args.options.base, [`git branch ${args.options.base}`, 'git flame init']);
    const name = nameOf(args.options.name, root);
    const written = await prepare(reading, { root, base, name }, args, io);
    output.json({ root, written });
    output.result(renderInit(written, args.globals.dryRun, output.style));
    if (head.commit === null) output.hint('git commit --allow-empty -m "initial commit"');
    output.hint("git flame run 'What you want done'");
    return 0;
  });
}

interface Wanted {
  readonly root: string;
  readonly base: string | null;
  readonly name: string;
}

async function prepare(
  { git, configFile }: Reading,
  wanted: Wanted,
  args: CommandArgs<'init'>,
  io: Io,
): Promise<readonly string[]> {
  const { dryRun } = args.globals;
  // What can't be done is found before anything is.
  const hooks = args.options.hooks ? await planGitHooks(git, io) : [];
  const file = await writeConfig(wanted, proposeCli(git, io), dryRun);
  const { config } = await readConfig(wanted.root, configFile);
  const context = { cwd: wanted.root, env: io.env };
  const { commonDir } = git.repository;
  const worktreeDir = config.project.worktree_dir;
  if (dryRun) return [...file, ...(await planPreparation(context, commonDir, worktreeDir)), ...hooks];
  return [
    ...file,
    ...(await prepareRepository(context, commonDir, worktreeDir)),
    ...(args.options.hooks ? await installGitHooks(git, io) : []),
  ];
}

/** Where claude isn't installed and another CLI could work at once, the configuration to begin with says so. */
function proposeCli(git: GitPort, io: Io): ReadyCli | null {
  const context = makeRunnerContext(runnerOptions(git, configSchema.parse({}), io));
  return isInstalled(context, context.adapters('claude')) ? null : (readyClis(context)[0] ?? null);
}

async function writeConfig(
  { root, base, name }: Wanted,
  cli: ReadyCli | null,
  dryRun: boolean,
): Promise<readonly string[]> {
  if ((await findConfigFile(root)) !== null) return [];
  const project = { name, ...(base === null ? {} : { base_branch: base }) };
  const { name: cliName, ...setting } = cli ?? { name: null };
  const begin = stringify({ schema_version: 1, project, ...setting });
  if (!dryRun)
    await writeFile(join(root, '.blueflame.yml'), `${configHead}${begin}${configTail}`, { flag: 'wx' });
  return [cliName === null ? '.blueflame.yml' : `.blueflame.yml, with ${cliName} in every role`];
}

const configHead = `# What git flame goes by; every key is optional. All keys with their meaning:
# .blueflame.example.yml of git-flame. What is in force, and why: git flame config
# An editor completes them after: git flame config schema > .git/blueflame.schema.json
# and with this as the first line: # yaml-language-server: $schema=.git/blueflame.schema.json
`;

/** The keys to begin with, as comments: what a project allows is for its lead to say. */
const configTail = `
# permissions:
#   allowed_paths: ['src/**', 'test/**']    # the files agents may change
#   bash_rules:                             # the tests and builds they may run: without network, judged afterwards
#     allowed_commands: [npm test, npm run, npx, node, make, pytest, cargo, go, rm, git mv, git rm]
# validation:
#   validator_diagnostics:
#     commands: [npm test]                  # what fails here never lands by itself
# limits:
#   max_session_cost_usd: 10                # the run pauses and asks when it is spent
`;

/** The given name, else the folder's where it can be one. */
function nameOf(given: string | null, root: string): string {
  const isName = (name: string): boolean => projectName.safeParse(name).success;
  if (given === null) return isName(basename(root)) ? basename(root) : 'project';
  if (isName(given)) return given;
  throw new FlameError({
    kind: 'usage',
    code: 'bad-name',
    message: 'The name of a project is one line of at most 100 characters.',
    hints: ["git flame init --name 'my project'"],
  });
}

const projectName = configSchema.shape.project.unwrap().shape.name;
