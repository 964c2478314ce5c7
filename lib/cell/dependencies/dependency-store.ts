import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonRecord } from '../../util/json.ts';
import { readProcessStart } from '../../util/process-identity.ts';
import { listNamesIn } from '../../util/read-file.ts';
import { removeTree } from '../../util/remove-tree.ts';
import { replaceFile } from '../../util/write-files.ts';
import { unfinishedRunFolderPattern } from '../run-folder.ts';

// `<common>/blueflame/dependencies/`: `<key>` is what one install made, never written again; `<key>.<pid>.new` what one
// is making. `uses/<digest of a worktree's path>/`: `use.json` says what that worktree has, beside it lies what its
// cells wrote there.

/** One folder of what an install made, as a worktree has it. */
export interface InstalledDependencyFolder {
  readonly key: string;
  /** Its path below what was made: a folder of the worktree, or the variable that leads to it. */
  readonly place: string;
  readonly isVariable: boolean;
  /** Its cells see it with their own changes on top (overlayfs); else it is a copy. */
  readonly isMounted: boolean;
}

const keyPattern = /^[0-9a-f]{64}$/;

/** The folder of all of them. */
export function dependencyStoreRoot(commonDir: string): string {
  return join(commonDir, 'blueflame', 'dependencies');
}

export function dependencyPath(commonDir: string, key: string): string {
  return join(dependencyStoreRoot(commonDir), key);
}

/** Where a worktree's own part of a place is, below the folder of all. */
export function worktreeDependencyPath(worktree: string, place: string): string {
  return join('uses', digest(worktree), digest(place));
}

function digest(text: string): string {
  return hash('sha256', text).slice(0, 32);
}

/** Records what a worktree has in some places, instead of what it had there. */
export function recordDependencyUse(
  commonDir: string,
  worktree: string,
  {
    places,
    has,
  }: {
    readonly places: readonly Pick<InstalledDependencyFolder, 'place'>[];
    readonly has: readonly InstalledDependencyFolder[];
  },
): void {
  const folder = join(dependencyStoreRoot(commonDir), 'uses', digest(worktree));
  const others = readUse(folder).has.filter(({ place }) => !places.some((one) => one.place === place));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(join(folder, 'use.json'), JSON.stringify({ worktree, has: [...others, ...has] }));
  const now = new Date();
  for (const { key } of has) utimesSync(dependencyPath(commonDir, key), now, now);
}

/** Lists the dependencies a worktree uses that are still there. */
export function listUsed(commonDir: string, worktree: string): readonly InstalledDependencyFolder[] {
  const { has } = readUse(join(dependencyStoreRoot(commonDir), 'uses', digest(worktree)));
  return has.filter(({ key }) => existsSync(dependencyPath(commonDir, key)));
}

function readUse(folder: string): {
  readonly worktree: string | null;
  readonly has: readonly InstalledDependencyFolder[];
} {
  const file = join(folder, 'use.json');
  const record = existsSync(file) ? parseJsonRecord(readFileSync(file, 'utf8')) : null;
  const has = Array.isArray(record?.has) ? (record.has as readonly Partial<InstalledDependencyFolder>[]) : [];
  return {
    worktree: typeof record?.worktree === 'string' ? record.worktree : null,
    has: has.flatMap(({ key, place, isVariable, isMounted }) =>
      typeof key === 'string' && keyPattern.test(key) && typeof place === 'string'
        ? [{ key, place, isVariable: isVariable === true, isMounted: isMounted === true }]
        : [],
    ),
  };
}

/** A folder of it that can go, and why. */
export interface OldDependency {
  readonly path: string;
  readonly why: string;
}

/** Lists dependencies no worktree uses and none was given since `until`, and half-made ones of a killed install. */
export function listOldDependencies(commonDir: string, until: Date): readonly OldDependency[] {
  const root = dependencyStoreRoot(commonDir);
  const used = new Set(listUses(root).flatMap(({ isGone, has }) => (isGone ? [] : has.map(({ key }) => key))));
  return listNamesIn(root).flatMap((name) => {
    const path = join(root, name);
    const maker = unfinishedRunFolderPattern.exec(name)?.[1];
    if (maker !== undefined)
      return readProcessStart(Number(maker)) === null ? [{ path, why: 'its install was killed' }] : [];
    if (!keyPattern.test(name) || used.has(name) || statSync(path).mtimeMs >= until.getTime()) return [];
    return [{ path, why: 'dependencies that no worktree uses, older than retention.logs' }];
  });
}

/** Removes what worktrees had that are gone. */
export async function removeUsesOfGoneWorktrees(commonDir: string): Promise<void> {
  for (const { folder, isGone } of listUses(dependencyStoreRoot(commonDir))) if (isGone) await removeTree(folder);
}

function listUses(
  root: string,
): readonly (ReturnType<typeof readUse> & { readonly folder: string; readonly isGone: boolean })[] {
  return listNamesIn(join(root, 'uses')).map((name) => {
    const folder = join(root, 'uses', name);
    const use = readUse(folder);
    return { ...use, folder, isGone: use.worktree === null || !existsSync(use.worktree) };
  });
}
