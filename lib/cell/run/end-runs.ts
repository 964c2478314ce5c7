import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { StopAgentOrder } from '../../domain/ports/agent-port.ts';
import { parseJson } from '../../util/json.ts';
import { parseIdentity, processState, readProcessStart } from '../../util/process-identity.ts';
import { listPathsIn, readTextOrEmpty } from '../../util/read-file.ts';
import { makeTreeRemovable, tryQuietly } from '../../util/remove-tree.ts';
import { replaceFile } from '../../util/write-files.ts';
import {
  findFirstOfPidNamespace,
  findProcessesByVariable,
  listLivingDescendants,
  sendSignalIfAlive,
} from '../process-table.ts';
import { canaryFolderPrefix, runFolderOwnerFile, runFoldersRoot, unfinishedRunFolderPattern } from '../run-folder.ts';
import { cellMarkVariable } from '../sandbox/spawn-cell.ts';
import { socketFolderPathFile, socketPrefix } from '../watcher/socket-folder.ts';
import { findLivingAgent } from './agent-registry.ts';

// A folder without its owner's file is just being made, or its maker died right then.
const makingMs = 60_000;
// Of a maker on another machine or in another container nothing is known.
const strangerMs = 24 * 3_600_000;
// How long an orphan may take to end by itself: its work is no longer wanted.
const graceMs = 2_000;

/**
 * Run folders whose tool was killed and could not clear up. Their agents are gone too where the
 * kernel sees to that; readLiveAgents says which are not.
 */
export function listStaleRuns(commonDir: string, now: Date): string[] {
  return listPathsIn(runFoldersRoot(commonDir)).filter((folder) => !isOwned(folder, now));
}

/**
 * Ends all that still runs in the cell of a stale run, then removes its folder. Resolves to whether something
 * ran; where the kernel ends agents with their tool, nothing does.
 */
export async function endStaleRun(folder: string): Promise<boolean> {
  const living = (): number[] => findProcessesByVariable(cellMarkVariable, basename(folder));
  const wasRunning = living().length > 0;
  const until = performance.now() + graceMs;
  for (let left = living(); left.length > 0; left = living()) {
    for (const pid of left) sendSignalIfAlive(pid, performance.now() < until ? 'SIGTERM' : 'SIGKILL');
    await wait(10);
  }
  removeStaleRun(folder);
  return wasRunning;
}

/** Removes temporary folders of canaries whose tool was killed; other containers may use the same folder for theirs. */
export function removeStaleCanaries(now: Date): void {
  for (const folder of listPathsIn(tmpdir()))
    if (basename(folder).startsWith(canaryFolderPrefix) && !isOwned(folder, now)) removeAgentWrittenFolder(folder);
}

/** Removes a stale run folder and the sockets it had elsewhere. */
export function removeStaleRun(folder: string): void {
  const elsewhere = readTextOrEmpty(join(folder, socketFolderPathFile)).split('\n');
  for (const path of elsewhere) if (basename(path).startsWith(socketPrefix)) removeAgentWrittenFolder(path);
  removeAgentWrittenFolder(folder);
}

function isOwned(folder: string, now: Date): boolean {
  const maker = unfinishedRunFolderPattern.exec(folder)?.[1];
  if (maker !== undefined) return readProcessStart(Number(maker)) !== null;
  const text = readTextOrEmpty(join(folder, runFolderOwnerFile));
  if (text === '') return now.getTime() - modifiedAt(folder) < makingMs;
  const owner = parseIdentity(text);
  if (owner === null) return false;
  const state = processState(owner);
  return state === 'unknown' ? now.getTime() - modifiedAt(folder) < strangerMs : state !== 'gone';
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Removes a folder an agent could write: it may have taken the permissions from its own folders, or nested
 * them too deep. What still can't be removed is left for cleanup. Throws nothing.
 */
export function removeAgentWrittenFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    makeTreeRemovable(path);
    tryQuietly(() => rmSync(path, { recursive: true, force: true }));
  }
}

const fileName = 'stop.json';
const orderSchema = z.object({ by: z.string(), retry: z.boolean() });

/** The time a process gets between SIGTERM and SIGKILL, in milliseconds. */
const defaultGraceMs = 5_000;

/**
 * Ends a living agent, whichever process of this machine runs it, with all it started. The order lies in its run
 * folder first, where the process that runs it reads why its agent ended. Resolves when all are gone; to false
 * where no such agent lives here.
 */
export async function stopAgent(
  commonDir: string,
  id: string,
  order: StopAgentOrder,
  graceMs = defaultGraceMs,
): Promise<boolean> {
  const agent = findLivingAgent(commonDir, id);
  if (agent === null) return false;
  replaceFile(join(agent.folder, fileName), JSON.stringify(order), 0o600);
  const isAlive = (): boolean => readProcessStart(agent.pid) === agent.start;
  const rest = (): number[] => findProcessesByVariable(cellMarkVariable, id);
  if (isAlive()) for (const pid of insideOf(agent.pid, rest())) sendSignalIfAlive(pid, 'SIGTERM');
  const until = performance.now() + graceMs;
  while (isAlive() || rest().length > 0) {
    if (performance.now() > until) for (const pid of everyone(agent, rest())) sendSignalIfAlive(pid, 'SIGKILL');
    await wait(10);
  }
  return true;
}

/** The order in a run folder; null where there is none. */
export function readStopAgentOrder(folder: string): StopAgentOrder | null {
  return orderSchema.safeParse(parseJson(readTextOrEmpty(join(folder, fileName)))).data ?? null;
}

/** Whom SIGTERM reaches: not what holds the cell together, or it would fall on all others at once. */
function insideOf(pid: number, marked: readonly number[]): readonly number[] {
  const tree = [pid, ...listLivingDescendants(pid)];
  const reaper = findFirstOfPidNamespace(tree);
  return reaper === null ? [...new Set([...tree, ...marked])] : listLivingDescendants(reaper);
}

function everyone(
  { pid, start }: { readonly pid: number; readonly start: string },
  marked: readonly number[],
): readonly number[] {
  return readProcessStart(pid) === start ? [pid, ...listLivingDescendants(pid), ...marked] : marked;
}
