import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LaunchFile } from '../domain/ports/adapter.ts';
import { killPoint } from '../util/kill-point.ts';
import { ownIdentity } from '../util/process-identity.ts';
import { removeTree } from '../util/remove-tree.ts';

/** One cell's own folders, outside every work tree; the same paths inside and outside the cell. */
export interface RunFolder {
  readonly root: string;
  readonly home: string;
  readonly tmp: string;
  /** Read-only inside. */
  readonly control: string;
  /** A regular file with nothing in it; made where it is asked for. */
  emptyFile(): string;
  /** Removes everything that can be; safe to call twice. */
  remove(): Promise<void>;
}

/** In a run folder: which process made it, see stale-runs.ts. */
export const runFolderOwnerFile = 'owner.json';

/** Name of a folder that is being made or removed: whose doing that is. */
export const unfinishedRunFolderPattern = /\.(\d+)\.(?:new|gone)$/;

/** `<common>/blueflame/run`: one folder per living cell. */
export function runFoldersRoot(commonDir: string): string {
  return join(commonDir, 'blueflame', 'run');
}

/** `<common>/blueflame/logs`: streams, audits and egress of all agents; they stay. */
export function agentLogsRoot(commonDir: string): string {
  return join(commonDir, 'blueflame', 'logs');
}

/** The file of an agent's output, as it came. */
export function agentOutputLogFile(commonDir: string, agent: string): string {
  return join(agentLogsRoot(commonDir), `${agent}.stream.jsonl`);
}

/** The file of connections out of a cell, allowed or refused: an agent's, or those of its worktree's preparation. */
export function egressLogFile(commonDir: string, agent: string): string {
  return join(agentLogsRoot(commonDir), `${agent}.egress.jsonl`);
}

/** Makes a cell's folders, readable by their owner alone. What an earlier run of that name left is removed. */
export function makeRunFolder(commonDir: string, name: string): RunFolder {
  const root = join(runFoldersRoot(commonDir), name);
  rmSync(root, { recursive: true, force: true });
  const folder = { home: join(root, 'home'), tmp: join(root, 'tmp'), control: join(root, 'control') };
  mkdirSync(agentLogsRoot(commonDir), { recursive: true, mode: 0o700 });
  // It appears with its owner in it, or a kill would leave a folder that might be anybody's.
  const making = `${root}.${process.pid}.new`;
  mkdirSync(making, { recursive: true, mode: 0o700 });
  killPoint(`run folder ${kindOf(name)} to make`);
  recordFolderOwner(making);
  renameSync(making, root);
  killPoint(`run folder ${kindOf(name)} made`);
  for (const path of Object.values(folder)) mkdirSync(path, { mode: 0o700 });
  const empty = join(root, 'empty');
  let isEmptyMade = false;
  const emptyFile = (): string => {
    if (!isEmptyMade) writeFileSync(empty, '', { mode: 0o400 });
    isEmptyMade = true;
    return empty;
  };
  const remove = async (): Promise<void> => {
    killPoint(`run folder ${kindOf(name)} to remove`);
    await removeWhole(root).catch(() => undefined);
    killPoint(`run folder ${kindOf(name)} removed`);
  };
  return { root, ...folder, emptyFile, remove };
}

/** Out of the way in one step: half a folder could have lost the name of its owner. */
async function removeWhole(root: string): Promise<void> {
  const leaving = `${root}.${process.pid}.gone`;
  renameSync(root, leaving);
  killPoint(`run folder ${kindOf(basename(root))} leaving`);
  await removeTree(leaving);
}

/** Writes what the agent needs before it starts. */
export function writeLaunchFiles(folder: RunFolder, files: readonly LaunchFile[]): void {
  for (const file of files) {
    const path = join(file.dir === 'home' ? folder.home : folder.control, file.path);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, file.content, { mode: 0o600 });
  }
}

function kindOf(name: string): string {
  return name.replace(/-[0-9a-f]+$/, '');
}

/** Of its temporary folder. */
export const canaryFolderPrefix = 'flame-canary-';

/** Says which process made a folder, see stale-runs.ts. */
export function recordFolderOwner(folder: string): void {
  writeFileSync(join(folder, runFolderOwnerFile), JSON.stringify(ownIdentity()), { mode: 0o600 });
}
