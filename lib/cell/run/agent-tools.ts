import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { insidePaths } from '../probes/probe-watcher.ts';
import type { RunFolder } from '../run-folder.ts';
import type { WatcherClient } from '../runner-context.ts';
import { accountsFor } from '../sandbox/cell-accounts.ts';
import type { Confinement } from '../sandbox-state.ts';
import { watcherCommand, watcherFile } from '../watcher/command.ts';
import { hooksConfigIn, writeGitHooks } from '../watcher/write-git-hooks.ts';
import { plainShell, shellName, writeShell } from './write-shell.ts';

export interface AgentTools {
  readonly path: string;
  /** Where its cell shows them. */
  readonly inside: string;
  /** The shell command that asks the judge; null where none does. */
  readonly watcher: string | null;
  /** See writeGitHooks; null where it commits nothing. */
  readonly hooksConfig: string | null;
  /** The shell of its commands. */
  readonly shell: string;
  /** Files that its cell shows in the place of the machine's accounts, null: there are none, and of the repository's settings. */
  readonly accounts: string | null;
  readonly gitConfig: string;
}

interface ToolRequest {
  readonly folder: RunFolder;
  readonly confinement: Confinement;
  readonly client: WatcherClient | null;
  /** The judge's socket, as the cell shows it. */
  readonly socket: string;
  readonly isServed: boolean;
  readonly canCommit: boolean;
  /** The repository's settings as a cell may see them. */
  readonly gitConfig: string;
}

export const bridgeFile = 'bridge.cjs';
const configFile = 'repository.config';
const accountsFile = 'passwd';

/**
 * Lays out the programs beside an agent: the one that asks the judge, its git's hooks, and for an agent that is
 * `isServed` by a gateway the bridge and the shell. A cell of bubblewrap can't write there.
 */
export function layOutTools(distDir: string, request: ToolRequest): AgentTools {
  const { folder, confinement, client, socket, isServed, canCommit, gitConfig } = request;
  const path = join(folder.control, 'tools');
  const inside = confinement === 'bubblewrap' ? insidePaths.tools : path;
  const watcher = client === null ? null : watcherCommand(client, { tools: inside, socket });
  const shell = isServed ? join(inside, shellName) : plainShell;
  const accounts = accountsFor({ home: folder.home, shell });
  const hasHooks = canCommit && watcher !== null;
  mkdirSync(path, { mode: 0o700 });
  copyTools(distDir, path, [
    ...(client === null ? [] : [watcherFile(client)]),
    ...(isServed ? [bridgeFile] : []),
  ]);
  if (isServed) writeShell(path);
  writeFileSync(join(path, configFile), gitConfig, { mode: 0o600 });
  if (accounts !== null) writeFileSync(join(path, accountsFile), accounts, { mode: 0o644 });
  if (hasHooks) writeGitHooks(path, { shown: inside, watcher });
  return {
    path,
    inside,
    watcher,
    shell,
    hooksConfig: hasHooks ? hooksConfigIn(inside) : null,
    accounts: accounts === null ? null : join(path, accountsFile),
    gitConfig: join(path, configFile),
  };
}

/**
 * Copies what runs beside agents into a folder. The program's own may be replaced
 * while agents run, by an update: a watcher that is an empty file for a moment would let a call through, since a
 * shell runs an empty file and finds nothing wrong.
 */
function copyTools(distDir: string, folder: string, names: readonly string[]): void {
  for (const name of names) {
    copyFileSync(join(distDir, name), join(folder, name));
    chmodSync(join(folder, name), 0o500);
  }
}
