import { insidePaths } from '../probes/probe-watcher.ts';
import type { RunnerContext, WatcherClient } from '../runner-context.ts';
import { copyTools } from '../sandbox/copy-tools.ts';
import type { Confinement } from '../sandbox-state.ts';
import type { SharedFolder } from '../shared-folders.ts';
import { watcherCommand, watcherFile } from '../watcher/command.ts';
import { hooksConfigIn, writeGitHooks } from '../watcher/write-git-hooks.ts';
import { writeShell } from './write-shell.ts';

export interface AgentTools extends SharedFolder {
  /** Where its cell shows them. */
  readonly inside: string;
  /** What asks the judge, a shell command; null where nothing does. */
  readonly watcher: string | null;
  /** See writeGitHooks; null where it commits nothing. */
  readonly hooksConfig: string | null;
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
}

export const bridgeFile = 'bridge.cjs';

/**
 * What runs beside an agent: what asks the judge, its git's hooks, and for one that is `isServed` by a gateway the
 * bridge and the shell. Agents in cells of bubblewrap, which can't write there, share what is the same for all.
 */
export function layOutTools(context: RunnerContext, request: ToolRequest): AgentTools {
  const { id, confinement, client, socket, isServed, canCommit } = request;
  const isCell = confinement === 'bubblewrap';
  const key = JSON.stringify([isCell ? null : id, client, socket, isServed, canCommit]);
  const commandIn = (tools: string): string | null =>
    client === null ? null : watcherCommand(client, { tools, socket });
  const folder = context.shared.take(key, (path) => {
    const shown = isCell ? insidePaths.tools : path;
    copyTools(context.distDir, path, [
      ...(client === null ? [] : [watcherFile(client)]),
      ...(isServed ? [bridgeFile] : []),
    ]);
    if (isServed) writeShell(path);
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
  };
}
