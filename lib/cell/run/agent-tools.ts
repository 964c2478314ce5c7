import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { bridgeFile } from '../egress/open-egress.ts';
import { foldersShownInsideCell } from '../probes/probe-watcher.ts';
import type { RunFolder } from '../run-folder.ts';
import type { Confinement, WatcherClient } from '../runner-context.ts';
import {
  buildWatcherHookCommand,
  gitHooksConfigFile,
  watcherClientFile,
  writeGitHooks,
} from '../watcher/watcher-hooks.ts';

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
  /** A file that its cell shows in the place of the machine's accounts; null: there are none. */
  readonly accounts: string | null;
}

interface ToolRequest {
  readonly folder: RunFolder;
  readonly confinement: Confinement;
  readonly client: WatcherClient | null;
  /** The judge's socket, as the cell shows it. */
  readonly socket: string;
  readonly isServed: boolean;
  readonly canCommit: boolean;
}

const accountsFile = 'passwd';

/**
 * Lays out the programs beside an agent: the one that asks the judge, its git's hooks, and for an agent that is
 * `isServed` by a gateway the bridge and the shell. A cell of bubblewrap can't write there.
 */
export function layOutTools(distDir: string, request: ToolRequest): AgentTools {
  const { folder, confinement, client, socket, isServed, canCommit } = request;
  const path = join(folder.control, 'tools');
  const inside = confinement === 'bubblewrap' ? foldersShownInsideCell.tools : path;
  const watcher = client === null ? null : buildWatcherHookCommand(client, { tools: inside, socket });
  const shell = isServed ? join(inside, shellName) : defaultAgentShell;
  const accounts = accountsFor({ home: folder.home, shell });
  const hasHooks = canCommit && watcher !== null;
  mkdirSync(path, { mode: 0o700 });
  copyTools(distDir, path, [
    ...(client === null ? [] : [watcherClientFile(client)]),
    ...(isServed ? [bridgeFile] : []),
  ]);
  if (isServed) writeShell(path);
  if (accounts !== null) writeFileSync(join(path, accountsFile), accounts, { mode: 0o644 });
  if (hasHooks) writeGitHooks(path, { shown: inside, watcher });
  return {
    path,
    inside,
    watcher,
    shell,
    hooksConfig: hasHooks ? gitHooksConfigFile(inside) : null,
    accounts: accounts === null ? null : join(path, accountsFile),
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

export const defaultAgentShell = '/bin/bash';
/** The CLIs take a shell whose name they know. */
const shellName = 'bash';

/**
 * Puts the shell of an agent's commands into a folder: what they run, such as a project's own tests, finds neither the
 * address nor the key that its CLI asks the model with, and git asks the hooks that judge a commit as it is made, also
 * where the CLI adds an empty path of hooks to git's environment. Other settings stay.
 */
function writeShell(folder: string): void {
  const script = `#!/bin/sh
unset ANTHROPIC_API_KEY ANTHROPIC_BASE_URL OPENAI_API_KEY GEMINI_API_KEY GOOGLE_GEMINI_BASE_URL
SHELL=${defaultAgentShell} CLAUDE_CODE_SHELL=${defaultAgentShell}
export SHELL CLAUDE_CODE_SHELL
case $GIT_CONFIG_COUNT in
'' | *[!0-9]* | ????*) ;;
*)
  at=0
  while [ "$at" -lt "$GIT_CONFIG_COUNT" ]; do
    eval "setting=\\$GIT_CONFIG_KEY_$at=\\$GIT_CONFIG_VALUE_$at"
    # There must be a setting at each place: this one holds anyway.
    case $setting in
    core.hooks[Pp]ath=) export "GIT_CONFIG_KEY_$at=gc.auto" "GIT_CONFIG_VALUE_$at=0" ;;
    esac
    at=$((at + 1))
  done
  unset at setting
  ;;
esac
exec ${defaultAgentShell} "$@"
`;
  writeFileSync(join(folder, shellName), script, { mode: 0o500 });
}

export const passwdPath = '/etc/passwd';

/**
 * Returns the accounts a cell is shown, a passwd(5) file: the machine's own, with the pinned shell for the account the
 * agent runs as. Some CLIs take the shell of their commands from there, not from the environment. null: there is none.
 */
function accountsFor({ home, shell }: { readonly home: string; readonly shell: string }): string | null {
  return !existsSync(passwdPath)
    ? null
    : setShellInPasswd(readTextOrEmpty(passwdPath), { id: process.getuid?.() ?? 0, home, shell });
}

/** A passwd(5) file in which the user of that id has the shell; there is an entry for it in any case. */
export function setShellInPasswd(
  text: string,
  { id, home, shell }: { readonly id: number; readonly home: string; readonly shell: string },
): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const isOwn = (line: string): boolean => line.split(':')[2] === `${id}`;
  const changed = lines.map((line) => {
    const fields = line.split(':');
    return isOwn(line) && fields.length === 7 ? [...fields.slice(0, 6), shell].join(':') : line;
  });
  const added = lines.some(isOwn) ? [] : [`agent:x:${id}:${id}::${home}:${shell}`];
  return `${[...changed, ...added].join('\n')}\n`;
}
