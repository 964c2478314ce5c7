import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Repository } from '../domain/ports/git-port.ts';
import { parseJsonRecord } from '../util/json.ts';
import { listPathsIn, readTextOrEmpty } from '../util/read-file.ts';
import { tryQuietly } from '../util/remove-tree.ts';
import { cloneStateDir, userStateDir } from '../util/user-folders.ts';
import { makeFolders, replaceFile } from '../util/write-files.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A clone, and the environment that says where its user's state is. */
export interface CloneAndEnv {
  readonly env: Env;
  /** The common git directory, absolute. */
  readonly commonDir: string;
}

const placeFile = 'place';

type ClonePlace = Pick<Repository, 'commonDir' | 'mainWorkTree'>;

/** Notes where this clone is, so that it is listed, and known again where it is moved to. */
export function recordCloneFolder(env: Env, { commonDir, mainWorkTree }: ClonePlace): void {
  const file = join(cloneStateDir(env, commonDir), placeFile);
  const noted = { path: commonDir, identity: identifyFolder(commonDir), tree: mainWorkTree };
  const text = `${JSON.stringify(noted)}\n`;
  if (readTextOrEmpty(file) === text) return;
  makeFolders(dirname(file), 0o700);
  replaceFile(file, text, 0o600);
}

/** `stateFolder`: what is kept about the clone outside it. */
export type NotedClone = ClonePlace & { readonly stateFolder: string };

/** This user's clones in which a session was worked on or received, as they were noted; some may be gone. */
export function listCloneFolders(env: Env): readonly NotedClone[] {
  const found = new Map<string, NotedClone>();
  for (const stateFolder of listPathsIn(join(userStateDir(env), 'clones'))) {
    const { path, tree } = parseJsonRecord(readTextOrEmpty(join(stateFolder, placeFile)));
    if (typeof path !== 'string' || !isAbsolute(path)) continue;
    const mainWorkTree = typeof tree === 'string' && isAbsolute(tree) ? tree : null;
    found.set(path, { commonDir: path, mainWorkTree, stateFolder });
  }
  return [...found.values()];
}

/**
 * Brings what was decided in a clone along with it: to where it was moved on its disk. A copy is another folder, and
 * nothing was decided in it.
 */
export async function adoptMovedClone(env: Env, place: ClonePlace): Promise<void> {
  const { commonDir } = place;
  const own = cloneStateDir(env, commonDir);
  if (existsSync(own)) return;
  const identity = identifyFolder(commonDir);
  for (const folder of identity === null ? [] : listPathsIn(dirname(own))) {
    const noted = parseJsonRecord(readTextOrEmpty(join(folder, placeFile)));
    if (noted.identity !== identity || identifyFolder(`${noted.path}`) === identity) continue;
    // Only then: what reads them loads a library of schemas.
    const { movePermissions } = await import('./repository/permission.ts');
    renameSync(folder, own);
    movePermissions(own, `${noted.path}`, commonDir);
    recordCloneFolder(env, place);
    return;
  }
}

/** Replaces a file kept about a clone, each process by a temporary one of its own; false where that can't be written. */
export function replaceStateFile(file: string, text: string): boolean {
  const fresh = `${file}.${process.pid}`;
  return tryQuietly(() => {
    makeFolders(dirname(file), 0o700);
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, file);
  });
}

/** Identifies a folder: its number may be used again, its birth time is not; null where the file system has none. */
export function identifyFolder(folder: string): string | null {
  const facts = statSync(folder, { throwIfNoEntry: false, bigint: true });
  return facts === undefined || facts.birthtimeNs === 0n ? null : `${facts.dev} ${facts.ino} ${facts.birthtimeNs}`;
}
