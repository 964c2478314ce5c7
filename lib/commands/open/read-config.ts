import { findConfigFile } from '../../config/find-config-file.ts';
import { type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/** The configuration a command works with: --config, else the file at the top of the main work tree, else defaults. */
export async function readConfig(root: string, named: string | null): Promise<LoadedConfig> {
  return loadConfig({ file: await findConfigFile(root, named) });
}

/** Agents work in linked worktrees and a person reviews in one: a bare repository has neither. */
export function requireWorkTree(git: Pick<GitPort, 'repository'>): string {
  const { mainWorkTree, commonDir } = git.repository;
  if (mainWorkTree !== null) return mainWorkTree;
  throw new FlameError({
    kind: 'environment',
    code: 'bare-repository',
    message: `${commonDir} is a bare repository: there is no work tree to run agents beside.`,
    hints: [`git clone ${shellQuote(commonDir)} work && cd work`, 'git flame status'],
  });
}
