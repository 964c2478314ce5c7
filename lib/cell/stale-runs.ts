import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { processStart } from './process-tree.ts';
import { removeTree } from './remove-tree.ts';
import { ownerFile, runRoot } from './run-folder.ts';
import { socketPrefix, socketsFile } from './socket-folder.ts';

const ownerSchema = z.object({ pid: z.int().positive(), start: z.string().nullable() });

// A folder without its owner's file is just being made, or its maker died right then.
const makingMs = 60_000;

/**
 * Run folders whose tool is gone without clearing up: it was killed. Their agents are gone too where the
 * kernel sees to that; readLiveAgents tells which are not.
 */
export function listStaleRuns(commonDir: string, now: Date): string[] {
  return listFolders(runRoot(commonDir)).filter((folder) => !isOwned(folder, now));
}

/** Removes a stale run folder and the sockets it had elsewhere. */
export function removeStaleRun(folder: string): void {
  const elsewhere = readText(join(folder, socketsFile));
  if (elsewhere !== null && basename(elsewhere).startsWith(socketPrefix)) removeTree(elsewhere);
  removeTree(folder);
}

function isOwned(folder: string, now: Date): boolean {
  const text = readText(join(folder, ownerFile));
  if (text === null) return now.getTime() - modifiedAt(folder) < makingMs;
  try {
    const { pid, start } = ownerSchema.parse(JSON.parse(text));
    return start !== null && processStart(pid) === start;
  } catch {
    return false;
  }
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

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
