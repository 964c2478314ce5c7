import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { hasLoose } from './verify-objects.ts';

/** Called between the steps that a kill may separate; tests throw from it. */
export type StepObserver = (step: string) => void;

/**
 * Moves what `tip` reaches from a folder of verified loose objects into another, an object only after all it
 * refers to: whenever a kill comes, what was moved is complete. Doing it again goes on where it stopped.
 */
export function importObjects(
  from: string,
  to: string,
  tip: string,
  onStep: StepObserver = () => undefined,
): number {
  const order = listChildrenFirst(from, tip);
  const now = new Date();
  for (const oid of order) {
    const [source, target] = [looseFile(from, oid), looseFile(to, oid)];
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
export function listChildrenFirst(folder: string, tip: string): readonly string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const waiting: { readonly oid: string; readonly isBlob: boolean; readonly isDone: boolean }[] = [
    { oid: tip, isBlob: false, isDone: false },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.isDone) order.push(next.oid);
    if (next.isDone || seen.has(next.oid) || !hasLoose(folder, next.oid)) continue;
    seen.add(next.oid);
    waiting.push({ ...next, isDone: true });
    if (next.isBlob) continue;
    for (const child of readLinks(readFileSync(looseFile(folder, next.oid)), next.oid.length / 2)) {
      waiting.push({ ...child, isDone: false });
    }
  }
  return order;
}

interface Link {
  readonly oid: string;
  readonly isBlob: boolean;
}

/** What a loose commit or tree refers to. */
function readLinks(file: Buffer, idLength: number): readonly Link[] {
  const object = inflateSync(file);
  const body = object.subarray(object.indexOf(0) + 1);
  return object.toString('latin1', 0, 4) === 'tree' ? readTree(body, idLength) : readCommit(body);
}

function readCommit(body: Buffer): Link[] {
  const headers = body.toString('latin1').split('\n\n', 1)[0] ?? '';
  return [...headers.matchAll(/^(?:tree|parent) ([0-9a-f]+)$/gm)].map(([, oid = '']) => ({
    oid,
    isBlob: false,
  }));
}

/** `mode SP name NUL id`, again and again; submodules refer to another repository. */
function readTree(body: Buffer, idLength: number): Link[] {
  const links: Link[] = [];
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(0, at);
    const mode = body.toString('latin1', at, body.indexOf(32, at));
    at = end + 1 + idLength;
    if (mode === '160000') continue;
    links.push({ oid: body.toString('hex', end + 1, at), isBlob: !/^0?40000$/.test(mode) });
  }
  return links;
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

export function looseFile(folder: string, oid: string): string {
  return join(folder, oid.slice(0, 2), oid.slice(2));
}
