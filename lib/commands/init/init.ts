import { basename } from 'node:path';
import { makeRunnerContext } from '../../cell/run/make-context.ts';
import { lackedCredential } from '../../cell/run/model-access.ts';
import { findConfigFile } from '../../config/find-config-file.ts';
import { noBaseBranch } from '../../domain/bad-input.ts';
import { configSchema } from '../../domain/config/config.ts';
import { roleChoice } from '../../domain/config/role-settings.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { planPreparation, prepareRepository } from '../../git/setup/prepare-repository.ts';
import { renderInit } from '../../ui/render/render-init.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { readConfig, requireWorkTree } from '../open/read-config.ts';
import { type Reading, withState } from '../open/read-state.ts';
import { runnerOptions } from '../open/runner-options.ts';
import { beginConfig, type Wanted } from './begin-config.ts';
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
      throw noBaseBranch(args.options.base, [
        `git branch ${shellQuote(args.options.base)}`,
        'git flame init',
      ]);
    const name = nameOf(args.options.name, root);
    const written = await prepare(reading, { root, base, name }, args, io);
    output.json({ root, written });
    if (!args.globals.quiet) output.result(renderInit(written, args.globals.dryRun, output.style));
    if (head.commit === null) output.hint('git commit --allow-empty -m "initial commit"');
    await tellLacking(reading, root, io);
    output.hint("git flame run 'What you want done'");
    return 0;
  });
}

async function prepare(
  { git, configFile, output }: Reading,
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
  if (dryRun) return [...file, ...(await planPreparation(context, commonDir, worktreeDir)), ...hooks];
  return [
    ...file,
    ...(await prepareRepository(context, commonDir, worktreeDir)),
    ...(args.options.hooks ? await installGitHooks(git, io) : []),
  ];
}

/** Reports the credential that the configuration's workers lack. */
async function tellLacking({ git, output, configFile }: Reading, root: string, io: Io): Promise<void> {
  const { config } = await readConfig(root, configFile);
  const context = makeRunnerContext(runnerOptions(git, config, io));
  const { adapter } = roleChoice(config, 'worker', null);
  const lacking = lackedCredential(context, context.adapters(adapter));
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
