import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseRecord } from '../../util/json-record.ts';
import { processStart } from '../../util/process-identity.ts';
import { replaceFile } from '../../util/replace-file.ts';
import { passingPattern } from '../run-folder.ts';

// `<common>/blueflame/dependencies/`: `<key>` is what one install made, `<key>.<pid>.new` what one is making or
// removing; `uses/<digest of a worktree's path>` says which of them a worktree has. Cells only read it.

/** What an install made, by a variable or below a folder of a worktree. */
export interface Dependency {
  readonly key: string;
  /** The variable that leads to it; null: a link in the worktree does. */
  readonly variable: string | null;
}

const keyPattern = /^[0-9a-f]{64}$/;

/** The folder of all of them. */
export function dependencyRoot(commonDir: string): string {
  return join(commonDir, 'blueflame', 'dependencies');
}

export function dependencyPath(commonDir: string, key: string): string {
  return join(dependencyRoot(commonDir), key);
}

function useFile(commonDir: string, worktree: string): string {
  const name = createHash('sha256').update(worktree).digest('hex').slice(0, 32);
  return join(dependencyRoot(commonDir), 'uses', `${name}.json`);
}

/** Records that a worktree has a dependency, beside those it has. */
export function noteUse(commonDir: string, worktree: string, dependency: Dependency): void {
  const others = listUsed(commonDir, worktree).filter(({ key }) => key !== dependency.key);
  mkdirSync(join(dependencyRoot(commonDir), 'uses'), { recursive: true, mode: 0o700 });
  replaceFile(useFile(commonDir, worktree), JSON.stringify({ worktree, has: [...others, dependency] }));
  const now = new Date();
  utimesSync(dependencyPath(commonDir, dependency.key), now, now);
}

/** What a worktree has and is still there. */
export function listUsed(commonDir: string, worktree: string): readonly Dependency[] {
  const found = readUse(useFile(commonDir, worktree));
  return found.has.filter(({ key }) => existsSync(dependencyPath(commonDir, key)));
}

function readUse(file: string): { readonly worktree: string | null; readonly has: readonly Dependency[] } {
  const record = existsSync(file) ? parseRecord(readFileSync(file, 'utf8')) : null;
  const has = Array.isArray(record?.has) ? (record.has as readonly Partial<Dependency>[]) : [];
  return {
    worktree: typeof record?.worktree === 'string' ? record.worktree : null,
    has: has.flatMap(({ key, variable }) =>
      typeof key === 'string' && keyPattern.test(key) ? [{ key, variable: variable ?? null }] : [],
    ),
  };
}

/** A folder of it that can go, and why. */
export interface OldDependency {
  readonly path: string;
  readonly why: string;
}

/**
 * What no worktree has and none was given since `until`, and what a killed install left half made.
 */
export function listOldDependencies(commonDir: string, until: Date): readonly OldDependency[] {
  const root = dependencyRoot(commonDir);
  const used = new Set(livingUses(root).flatMap(({ has }) => has.map(({ key }) => key)));
  return listNames(root).flatMap((name) => {
    const path = join(root, name);
    const maker = passingPattern.exec(name)?.[1];
    if (maker !== undefined)
      return processStart(Number(maker)) === null ? [{ path, why: 'its install was killed' }] : [];
    if (!keyPattern.test(name) || used.has(name) || statSync(path).mtimeMs >= until.getTime()) return [];
    return [{ path, why: 'dependencies no worktree has, older than retention.logs' }];
  });
}

function livingUses(root: string): readonly ReturnType<typeof readUse>[] {
  const folder = join(root, 'uses');
  return listNames(folder).flatMap((name) => {
    const use = readUse(join(folder, name));
    return use.worktree !== null && existsSync(use.worktree) ? [use] : [];
  });
}

/** Forgets what worktrees had that are gone. */
export function forgetUses(commonDir: string): void {
  const folder = join(dependencyRoot(commonDir), 'uses');
  for (const name of listNames(folder)) {
    const { worktree } = readUse(join(folder, name));
    if (worktree === null || !existsSync(worktree)) rmSync(join(folder, name), { force: true });
  }
}

function listNames(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => basename(name)) : [];
}

/** Variables by which tools in a cell find what its worktree has; `path` is PATH there. */
export function dependencyVariables(
  commonDir: string,
  used: readonly Dependency[],
  path: string | undefined,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const { key, variable } of used) {
    if (variable === null) continue;
    const made = dependencyPath(commonDir, key);
    env[variable] = made;
    if (variable === 'PYTHONUSERBASE' && path !== undefined) env.PATH = `${join(made, 'bin')}:${path}`;
  }
  return env;
}
