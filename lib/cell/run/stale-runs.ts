import { readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseIdentity, processStart, processState } from '../../util/process-identity.ts';
import { pathsIn } from '../../util/read-file.ts';
import { processesWith, signal } from '../process-tree.ts';
import { removeTree } from '../remove-tree.ts';
import { canaryPrefix, ownerFile, passingPattern, runRoot } from '../run-folder.ts';
import { markVariable } from '../sandbox/spawn-cell.ts';
import { socketPrefix, socketsFile } from '../watcher/socket-folder.ts';

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
