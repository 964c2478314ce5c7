import { basename } from 'node:path';
import { isInstalled, listUsableAgentClis, type UsableAgentCli } from '../../cell/run/adapter-programs.ts';
import { makeRunnerContext } from '../../cell/run/make-context.ts';
import { missingRoleCredentialError } from '../../cell/run/model-access.ts';
import { configFilePath, findConfigFile } from '../../config/find-config-file.ts';
import { configSchema } from '../../domain/config/config-schema.ts';
import { chooseAdapterAndModel } from '../../domain/config/role-adapter-and-model.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { noBaseBranchError } from '../../domain/input-errors.ts';
import type { GitPort, Repository } from '../../domain/ports/git-port.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { installHooks, planHooksInstallation } from '../../git/setup/hooks-install.ts';
import { planRepositoryPreparation, prepareRepository } from '../../git/setup/prepare-repository.ts';
import { planUndoSetup, undoSetup } from '../../git/setup/undo-setup.ts';
import { renderInit, renderProposedConfig } from '../../ui/render/render-init.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { readConfig, requireWorkTree } from '../context/read-config.ts';
import { buildRunnerOptions } from '../run-context/run-config.ts';
import { buildLimits } from './propose-commands.ts';
import { proposeCommandsForProject, type TrialResult, tryProposal, writeConfig } from './write-config.ts';

/** `git flame init`: prepares a repository; what exists already is left as it is. With --uninstall it takes that back. */
export function run(args: CommandArgs<'init'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async (reading) => {
    const root = requireWorkTree(reading.git);
    if (args.options.uninstall) return uninstallAll(args, io, { reading, root });
    const { git, output } = reading;
    const head = await git.head(root);
    const base = args.options.base ?? head.branch;
    if (args.options.base !== null && (await git.resolveCommit(`refs/heads/${args.options.base}`)) === null)
      throw noBaseBranchError(args.options.base, [`git branch ${shellQuote(args.options.base)}`, 'git flame init']);
    const name = nameOf(args.options.name, root);
    const written = await prepare(reading, { root, base, name }, args, io);
    output.json({ root, written });
    if (!args.globals.quiet) output.result(renderInit(written, args.globals.dryRun, output.style));
    if (head.commit === null) output.hint('git commit --allow-empty -m "initial commit"');
    await warnOfMissingCredential(reading, root, io);
    output.hint("git flame run 'What you want done'");
    return 0;
  });
}

async function prepare(
  { git, configFile, output }: ReadContext,
  wanted: Wanted,
  args: CommandArgs<'init'>,
  io: Io,
): Promise<readonly string[]> {
  const { dryRun, quiet: isQuiet } = args.globals;
  const isTried = args.options.try && !dryRun;
  // Errors of hooks are found before anything is changed.
  const hooks = args.options.hooks ? await planGitHooks(git, io) : [];
  const file =
    (await findConfigFile(wanted.root)) === null
      ? await beginConfig(wanted, { git, io, output, dryRun, isQuiet, isTried })
      : [];
  const { config } = await readConfig(wanted.root, configFile);
  const context = { cwd: wanted.root, env: io.env };
  const { commonDir } = git.repository;
  const worktreeDir = config.project.worktree_dir;
  if (dryRun) return [...file, ...(await planRepositoryPreparation(context, commonDir, worktreeDir)), ...hooks];
  return [
    ...file,
    ...(await prepareRepository(context, commonDir, worktreeDir)),
    ...(args.options.hooks ? await installGitHooks(git, io) : []),
  ];
}

/** Reports the credential that the configuration's workers lack. */
async function warnOfMissingCredential({ git, output, configFile }: ReadContext, root: string, io: Io): Promise<void> {
  const { config } = await readConfig(root, configFile);
  const context = makeRunnerContext(buildRunnerOptions(git, config, io));
  const { adapter } = chooseAdapterAndModel(config, 'worker', null);
  const lacking = missingRoleCredentialError(context, context.adapters(adapter));
  if (lacking === null) return;
  output.info(`${[lacking.message, ...lacking.lines].join('\n')}`);
  for (const hint of lacking.hints) output.hint(hint);
}

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

/** The repository, and what the configuration names it. */
interface Wanted {
  readonly root: string;
  readonly base: string | null;
  readonly name: string;
}

interface Beginning extends Pick<ReadContext, 'git' | 'output'> {
  readonly io: Io;
  readonly dryRun: boolean;
  readonly isQuiet: boolean;
  readonly isTried: boolean;
}

/** Writes the configuration to begin with, and returns what was written; what was found in the project is shown before it is written. */
async function beginConfig(
  { root, base, name }: Wanted,
  { git, io, output, dryRun, isQuiet, isTried }: Beginning,
): Promise<readonly string[]> {
  const cli = proposeCli(git, io);
  const proposal = proposeCommandsForProject(root, io.env.PATH);
  const project = { name, ...(base === null ? {} : { base_branch: base }) };
  const tried = isTried && proposal !== null ? await tryTests({ git, io, project, proposal }, output) : null;
  // Looser limits than those built in are offered once, and only to a person at a terminal.
  const room = (proposal?.allowed.length ?? 0) > 0 && io.stdin.isTTY === true ? buildLimits : null;
  if (proposal !== null && !isQuiet) output.result(renderProposedConfig({ ...proposal, tried, room }, output.style));
  if (!dryRun) await writeConfig(root, { project, cli, proposal, tried, room });
  const file = git.repository.workTree === root ? '.blueflame.yml' : configFilePath(root, null);
  return [cli === null ? file : `${file}, with ${cli.name} in every role`];
}

/** The proposed checks, tried once where they can be; null: there are none. */
async function tryTests(
  parts: Parameters<typeof tryProposal>[0],
  output: ReadContext['output'],
): Promise<TrialResult | null> {
  const { tests, sources } = parts.proposal;
  if (tests.length === 0) return null;
  const { mainWorkTree: root } = parts.git.repository;
  const isCommitted = root !== null && !(await parts.git.dirtyPaths(root)).some((path) => sources.includes(path));
  if (!isCommitted) return { tests, install: null, failing: [], untried: `${sources.join(', ')} is not committed` };
  output.info(`Trying ${tests.join(', ')} in a sandbox, to propose what passes …`);
  return tryProposal(parts);
}

/** Picks another CLI that is ready for the first configuration, where claude isn't installed; null: none. */
function proposeCli(git: GitPort, io: Io): UsableAgentCli | null {
  const context = makeRunnerContext(buildRunnerOptions(git, configSchema.parse({}), io));
  return isInstalled(context, context.adapters('claude')) ? null : (listUsableAgentClis(context)[0] ?? null);
}

/** Plans the changes of installing hooks, one line each. Throws FlameError `hooks-changed`. */
export async function planGitHooks({ repository }: Pick<GitPort, 'repository'>, io: Io): Promise<readonly string[]> {
  return (await planHooksInstallation(inRepository(repository, io), repository)).lines;
}

/** Installs hooks in the person's repository; returns what was changed, one line each. */
function installGitHooks({ repository }: Pick<GitPort, 'repository'>, io: Io): Promise<readonly string[]> {
  return installHooks(inRepository(repository, io), repository);
}

/** `git flame init --uninstall`: takes back what git flame changed in the repository's own files. */
async function uninstallAll(
  args: CommandArgs<'init'>,
  io: Io,
  { reading, root }: { readonly reading: ReadContext; readonly root: string },
): Promise<number> {
  const { git, output } = reading;
  const context = inRepository(git.repository, io);
  const { dryRun } = args.globals;
  const { done, left } = dryRun ? planUndoSetup(git.repository) : await undoSetup(context, git.repository);
  output.json({ root, removed: done, left });
  const title = dryRun ? 'Would undo:' : 'Undone:';
  output.result(
    done.length === 0
      ? 'git flame has installed nothing here.'
      : [title, ...done.map((line) => `  ${line}`)].join('\n'),
  );
  for (const line of left) output.warn(`${line}.`);
  output.info('.blueflame.yml, refs/blueflame/* and the branches of tasks stay.');
  for (const { path, group } of await git.tryWorktrees()) {
    output.info(`The worktree to try changeset ${toPrintableLine(group)} stays too: ${path}`);
    output.hint(`git flame review --done ${shellQuote(group)}`);
  }
  return left.length === 0 ? 0 : 1;
}

function inRepository({ gitDir, commonDir }: Repository, io: Io): GitContext {
  return { cwd: commonDir, env: io.env, variables: { GIT_DIR: gitDir } };
}
