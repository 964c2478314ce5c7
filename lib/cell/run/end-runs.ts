import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { StopOrder } from '../../domain/ports/agent-port.ts';
import { parseIdentity, processStart, processState } from '../../util/process-identity.ts';
import { pathsIn } from '../../util/read-file.ts';
import { openFolders, tryQuietly } from '../../util/remove-tree.ts';
import { descendants, firstInNamespace, processesWith, signal } from '../process-tree.ts';
import { canaryPrefix, ownerFile, passingPattern, runRoot } from '../run-folder.ts';
import { markVariable } from '../sandbox/spawn-cell.ts';
import { socketPrefix, socketsFile } from '../watcher/socket-folder.ts';
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
  return pathsIn(runRoot(commonDir)).filter((folder) => !isOwned(folder, now));
}

/**
 * Ends all that still runs in the cell of a stale run, then removes its folder. Resolves to whether something
 * ran; where the kernel ends agents with their tool, nothing does.
 */
export async function endStaleRun(folder: string): Promise<boolean> {
  const living = (): number[] => processesWith(markVariable, basename(folder));
  const wasRunning = living().length > 0;
  const until = performance.now() + graceMs;
  for (let left = living(); left.length > 0; left = living()) {
    for (const pid of left) signal(pid, performance.now() < until ? 'SIGTERM' : 'SIGKILL');
    await wait(10);
  }
  removeStaleRun(folder);
  return wasRunning;
}

/** Removes temporary folders of canaries whose tool was killed; other containers may use the same folder for theirs. */
export function removeStaleCanaries(now: Date): void {
  for (const folder of pathsIn(tmpdir()))
    if (basename(folder).startsWith(canaryPrefix) && !isOwned(folder, now)) removeTree(folder);
}

/** Removes a stale run folder and the sockets it had elsewhere. */
export function removeStaleRun(folder: string): void {
  const elsewhere = readText(join(folder, socketsFile))?.split('\n') ?? [];
  for (const path of elsewhere) if (basename(path).startsWith(socketPrefix)) removeTree(path);
  removeTree(folder);
}

function isOwned(folder: string, now: Date): boolean {
  const maker = passingPattern.exec(folder)?.[1];
  if (maker !== undefined) return processStart(Number(maker)) !== null;
  const text = readText(join(folder, ownerFile));
  if (text === null) return now.getTime() - modifiedAt(folder) < makingMs;
  const owner = parseIdentity(text);
  if (owner === null) return false;
  const state = processState(owner);
  return state === 'unknown' ? now.getTime() - modifiedAt(folder) < strangerMs : state !== 'gone';
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Removes a folder an agent could write: it may have taken the permissions from its own folders, or nested
 * them too deep. What still can't be removed is left for cleanup. Throws nothing.
 */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openFolders(path);
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
  order: StopOrder,
  graceMs = defaultGraceMs,
): Promise<boolean> {
  const agent = findLivingAgent(commonDir, id);
  if (agent === null) return false;
  writeStopOrder(agent.folder, order);
  const isAlive = (): boolean => processStart(agent.pid) === agent.start;
  const rest = (): number[] => processesWith(markVariable, id);
  if (isAlive()) for (const pid of insideOf(agent.pid, rest())) signal(pid, 'SIGTERM');
  const until = performance.now() + graceMs;
  while (isAlive() || rest().length > 0) {
    if (performance.now() > until) for (const pid of everyone(agent, rest())) signal(pid, 'SIGKILL');
    await wait(10);
  }
  return true;
}

/** The order in a run folder; null where there is none. */
export function readStopOrder(folder: string): StopOrder | null {
  try {
    return orderSchema.parse(JSON.parse(readFileSync(join(folder, fileName), 'utf8')));
  } catch {
    return null;
  }
}

function writeStopOrder(folder: string, order: StopOrder): void {
  const file = join(folder, fileName);
  writeFileSync(`${file}.new`, JSON.stringify(order), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Whom SIGTERM reaches: not what holds the cell together, or it would fall on all others at once. */
function insideOf(pid: number, marked: readonly number[]): readonly number[] {
  const tree = [pid, ...descendants(pid)];
  const reaper = firstInNamespace(tree);
  return reaper === null ? [...new Set([...tree, ...marked])] : descendants(reaper);
}

function everyone(
  { pid, start }: { readonly pid: number; readonly start: string },
  marked: readonly number[],
): readonly number[] {
  return processStart(pid) === start ? [pid, ...descendants(pid), ...marked] : marked;
}
