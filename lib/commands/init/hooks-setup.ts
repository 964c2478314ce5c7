import type { GitPort, Repository } from '../../domain/ports/git-port.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { installHooks, planHooks } from '../../git/setup/hooks-install.ts';
import { planUndo, undoSetup } from '../../git/setup/undo-setup.ts';
import type { Reading } from '../open/read-state.ts';

/** Plans the changes of installing hooks, one line each. Throws FlameError `hooks-changed`. */
export async function planGitHooks(
  { repository }: Pick<GitPort, 'repository'>,
  io: Io,
): Promise<readonly string[]> {
  return (await planHooks(inRepository(repository, io), repository)).lines;
}

/** Installs hooks in the person's repository; returns what was changed, one line each. */
export function installGitHooks(
  { repository }: Pick<GitPort, 'repository'>,
  io: Io,
): Promise<readonly string[]> {
  return installHooks(inRepository(repository, io), repository);
}

/** `git flame init --uninstall`: takes back what git flame changed in the repository's own files. */
export async function uninstallAll(
  args: CommandArgs<'init'>,
  io: Io,
  { reading, root }: { readonly reading: Reading; readonly root: string },
): Promise<number> {
  const { git, output } = reading;
  const context = inRepository(git.repository, io);
  const { dryRun } = args.globals;
  const { done, left } = dryRun ? planUndo(git.repository) : await undoSetup(context, git.repository);
  output.json({ root, removed: done, left });
  const title = dryRun ? 'Would take back:' : 'Taken back:';
  output.result(
    done.length === 0
      ? 'Nothing of git flame is installed here.'
      : [title, ...done.map((line) => `  ${line}`)].join('\n'),
  );
  for (const line of left) output.warn(`${line}.`);
  output.info('.blueflame.yml, refs/blueflame/* and the branches of tasks stay.');
  return left.length === 0 ? 0 : 1;
}

function inRepository({ gitDir, commonDir }: Repository, io: Io): GitContext {
  return { cwd: commonDir, env: io.env, variables: { GIT_DIR: gitDir } };
}
