import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { configFilePath, findConfigFile } from '../../config/find-config-file.ts';
import { type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import { resolveDotGitOfFolder } from '../../git/process/discover-repository.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { isSameOrBelowFolder, realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { ReadContext } from './open-read-context.ts';

/**
 * The configuration a command works with: --config, else the file at the top of the main work tree, else defaults. A
 * different file at the top of `workTree`, where the command was started, is a warning.
 */
export async function readConfig(root: string, named: string | null, workTree?: string | null): Promise<LoadedConfig> {
  const loaded = await loadConfig({ file: await findConfigFile(root, named) });
  const file = configFilePath(root, null);
  const own = configFilePath(workTree ?? root, null);
  if (named !== null || own === file || ['', loaded.text].includes(readTextOrEmpty(own))) return loaded;
  const warning = `${own} is not read. All worktrees have the configuration ${file}, or one that --config names.`;
  return { ...loaded, warnings: [...loaded.warnings, warning] };
}

/** The configuration for a command that works without one, too; null: there is none that can be read. */
export async function readConfigIfSound(
  { git, configFile }: Pick<ReadContext, 'git' | 'configFile'>,
  onError: (error: FlameError) => void = () => undefined,
): Promise<Config | null> {
  const root = git.repository.mainWorkTree;
  if (root === null) return null;
  try {
    return (await readConfig(root, configFile)).config;
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    onError(error);
    return null;
  }
}

/**
 * Agents work in linked worktrees and a person reviews in one: a bare repository has neither. A work tree that leads to
 * its repository only by variables or `core.worktree` is none for the many gits that are started in it.
 */
export function requireWorkTree(git: Pick<GitPort, 'repository'>): string {
  const { mainWorkTree, commonDir } = git.repository;
  if (mainWorkTree !== null) {
    const common = realPathEvenIfMissing(commonDir);
    const gitDir = resolveDotGitOfFolder(mainWorkTree);
    const isFound = gitDir !== null && (gitDir === common || isSameOrBelowFolder(gitDir, join(common, 'worktrees')));
    if (isFound) return mainWorkTree;
    throw farWorkTree(mainWorkTree, commonDir);
  }
  throw bare(commonDir);
}

/** One named `.git` has a work tree around it, which git doesn't look for where a setting says that there is none. */
function bare(commonDir: string): FlameError {
  const isFlipped = basename(commonDir) === '.git';
  const [linked] = isFlipped ? [] : linkedWorktrees(commonDir);
  return new FlameError({
    kind: 'environment',
    code: 'bare-repository',
    message: isFlipped
      ? `core.bare says that ${commonDir} has no work tree, so git finds none to run agents beside.`
      : `${commonDir} is a bare repository: there is no work tree to run agents beside.`,
    hints: [
      isFlipped
        ? `git --git-dir=${shellQuote(commonDir)} config core.bare false`
        : linked === undefined
          ? `git clone ${shellQuote(commonDir)} work && cd work`
          : `cd ${shellQuote(linked)}`,
      'git flame status',
    ],
  });
}

/** Lists existing linked worktrees, by the files in which git keeps their places. */
function linkedWorktrees(commonDir: string): readonly string[] {
  const records = join(commonDir, 'worktrees');
  if (!existsSync(records)) return [];
  return readdirSync(records)
    .map((name) => join(records, name, 'gitdir'))
    .filter((file) => existsSync(file))
    .map((file) => dirname(readFileSync(file, 'utf8').trim()))
    .filter((path) => existsSync(path));
}

function farWorkTree(workTree: string, commonDir: string): FlameError {
  const trees = shellQuote(`${commonDir.replace(/\/?\.git$/, '')}-work`);
  return new FlameError({
    kind: 'environment',
    code: 'far-work-tree',
    message: `The work tree ${workTree} has no .git that leads to ${commonDir}, so git finds the repository there only by GIT_DIR, --git-dir or core.worktree, which agents don't have.`,
    details: ['Where a hook or an editor set them for another repository, the first command is enough.'],
    hints: [
      'unset GIT_DIR GIT_WORK_TREE',
      `git clone ${shellQuote(commonDir)} ${trees} && cd ${trees}`,
      'git flame init',
    ],
    data: { work_tree: workTree, git_dir: commonDir },
  });
}
