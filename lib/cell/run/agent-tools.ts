import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { insidePaths } from '../probes/probe-watcher.ts';
import type { RunnerContext, WatcherClient } from '../runner-context.ts';
import { accountsFor } from '../sandbox/cell-accounts.ts';
import type { Confinement } from '../sandbox-state.ts';
import type { SharedFolder } from '../shared-folders.ts';
import { watcherCommand, watcherFile } from '../watcher/command.ts';
import { hooksConfigIn, writeGitHooks } from '../watcher/write-git-hooks.ts';
import { plainShell, shellName, writeShell } from './write-shell.ts';

export interface AgentTools extends SharedFolder {
  /** Where its cell shows them. */
  readonly inside: string;
  /** What asks the judge, a shell command; null where nothing does. */
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
  /** The agent's. */
  readonly id: string;
  readonly confinement: Confinement;
  readonly client: WatcherClient | null;
  /** The judge's socket, as the cell shows it. */
  readonly socket: string;
  readonly isServed: boolean;
  readonly canCommit: boolean;
  /** The repository's settings as a cell may see them. */
  readonly gitConfig: string;
  /** The agent's own folder, as the cell shows it. */
  readonly home: string;
}

export const bridgeFile = 'bridge.cjs';
const configFile = 'repository.config';
const accountsFile = 'passwd';

/**
 * What runs beside an agent: what asks the judge, its git's hooks, and for one that is `isServed` by a gateway the
 * bridge and the shell. Agents in cells of bubblewrap, which can't write there, share what is the same for all.
 */
export function layOutTools(context: RunnerContext, request: ToolRequest): AgentTools {
  const { id, confinement, client, socket, isServed, canCommit, home, gitConfig } = request;
  const isCell = confinement === 'bubblewrap';
  const shellIn = (tools: string): string => (isServed ? join(tools, shellName) : plainShell);
  // Outside of cells none is shown, so that it says nothing there.
  const accounts = accountsFor({ home, shell: shellIn(insidePaths.tools) });
  const key = JSON.stringify([isCell ? null : id, client, socket, isServed, canCommit, gitConfig, accounts]);
  const commandIn = (tools: string): string | null =>
    client === null ? null : watcherCommand(client, { tools, socket });
  const folder = context.shared.take(key, (path) => {
    const shown = isCell ? insidePaths.tools : path;
    copyTools(context.distDir, path, [
      ...(client === null ? [] : [watcherFile(client)]),
      ...(isServed ? [bridgeFile] : []),
    ]);
    if (isServed) writeShell(path);
    writeFileSync(join(path, configFile), gitConfig, { mode: 0o600 });
    if (accounts !== null) writeFileSync(join(path, accountsFile), accounts, { mode: 0o644 });
    const command = commandIn(shown);
    if (canCommit && command !== null) writeGitHooks(path, { shown, watcher: command });
  });
  const inside = isCell ? insidePaths.tools : folder.path;
  const watcher = commandIn(inside);
  return {
    ...folder,
    inside,
    watcher,
    hooksConfig: canCommit && watcher !== null ? hooksConfigIn(inside) : null,
    shell: shellIn(inside),
    accounts: accounts === null ? null : join(folder.path, accountsFile),
    gitConfig: join(folder.path, configFile),
  };
}

/**
 * Copies what runs beside agents into a folder. The program's own may be replaced
 * while agents run, by an update: a watcher that is an empty file for a moment would let a call through, since a
 * shell runs an empty file and finds nothing wrong.
 */
export function copyTools(distDir: string, folder: string, names: readonly string[]): void {
  for (const name of names) {
    copyFileSync(join(distDir, name), join(folder, name));
    chmodSync(join(folder, name), 0o500);
  }
}
