import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { looseObjectPath, readLooseObject } from '../objects/object-source.ts';
import { parseTree } from '../objects/read-tree.ts';
import { type GitRunLimits, requireNotStopped } from '../process/limit-git-runs.ts';
import { hasLooseObject } from './copy-verified-objects.ts';

// Others wait meanwhile: agents ask for decisions, people for their view.
const objectsAtOnce = 500;

/** Called between the steps that a kill may separate; tests throw from it. */
export type KillPointObserver = (step: string) => void;

export interface ImportOptions {
  readonly onStep?: KillPointObserver | undefined;
  readonly guard?: Pick<GitRunLimits, 'stopped'>;
}

/**
 * Moves what `tip` reaches from a folder of verified loose objects into another, an object only after all it
 * refers to: whenever a kill comes, what was moved is complete. A repeated call continues where it stopped.
 */
export async function importObjects(
  from: string,
  to: string,
  tip: string,
  { onStep = () => undefined, guard = {} }: ImportOptions = {},
): Promise<number> {
  const order = await listChildrenFirst(from, tip, guard);
  const now = new Date();
  for (const [index, oid] of order.entries()) {
    if (index % objectsAtOnce === objectsAtOnce - 1) {
      await pause();
      requireNotStopped(guard);
    }
    const [source, target] = [looseObjectPath(from, oid), looseObjectPath(to, oid)];
    if (existsSync(target)) {
      // As git does: a prune that runs now must not take it for old.
      utimesSync(target, now, now);
      rmSync(source);
    } else {
      mkdirSync(join(to, oid.slice(0, 2)), { recursive: true });
      move(source, target);
    }
    onStep(`object ${oid}`);
  }
  return order.length;
}

/** Every object of the folder that `tip` reaches, each after those it refers to. */
async function listChildrenFirst(
  folder: string,
  tip: string,
  guard: Pick<GitRunLimits, 'stopped'> = {},
): Promise<readonly string[]> {
  const order: string[] = [];
  const seen = new Set<string>();
  const waiting: { readonly oid: string; readonly isBlob: boolean; readonly isDone: boolean }[] = [
    { oid: tip, isBlob: false, isDone: false },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.isDone) order.push(next.oid);
    if (next.isDone || seen.has(next.oid) || !hasLooseObject(folder, next.oid)) continue;
    seen.add(next.oid);
    if (seen.size % objectsAtOnce === 0) {
      await pause();
      requireNotStopped(guard);
    }
    waiting.push({ ...next, isDone: true });
    if (next.isBlob) continue;
    for (const child of readLinks(folder, next.oid)) {
      waiting.push({ ...child, isDone: false });
    }
  }
  return order;
}

interface Link {
  readonly oid: string;
  readonly isBlob: boolean;
}

/** Lists the objects that a loose commit or tree refers to. */
function readLinks(folder: string, oid: string): readonly Link[] {
  const object = readLooseObject(folder, oid);
  if (object === null) return [];
  return object.type === 'tree' ? linksOfTree(object.bytes, oid.length / 2) : linksOfCommit(object.bytes);
}

function linksOfCommit(body: Buffer): Link[] {
  const headers = body.toString('latin1').split('\n\n', 1)[0] ?? '';
  return [...headers.matchAll(/^(?:tree|parent) ([0-9a-f]+)$/gm)].map(([, oid = '']) => ({
    oid,
    isBlob: false,
  }));
}

/** Submodules refer to another repository. */
function linksOfTree(body: Buffer, idLength: number): Link[] {
  return parseTree(body, idLength)
    .filter(({ mode }) => mode !== '160000')
    .map(({ mode, oid }) => ({ oid, isBlob: !/^0?40000$/.test(mode) }));
}

function move(source: string, target: string): void {
  try {
    renameSync(source, target);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    // objects/ may be a link to another disk.
    copyFileSync(source, `${target}.flame-tmp`);
    renameSync(`${target}.flame-tmp`, target);
    rmSync(source);
  }
}
