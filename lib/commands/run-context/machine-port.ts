import { existsSync, lstatSync } from 'node:fs';
import { cp, mkdir, readdir, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { MachinePort } from '../../engine/run-context.ts';
import { isHiddenPathShared } from '../../policy/hidden-path-parts.ts';
import { isPathBlockedByGlob } from '../../policy/judge-path.ts';
import { globMatchesPath, locksConflict } from '../../util/path-globs.ts';
import { makeFolders } from '../../util/write-files.ts';
import { trackFiles } from './new-files.ts';

const megabyte = 1024 * 1024;
const outputLimit = 4_000;

/** The machine the tool runs on. */
export function createMachine(env: Readonly<Record<string, string | undefined>>): MachinePort {
  return {
    // As the kernel counts it for new programs: caches that can go are free.
    freeMemoryMb: () => (process.availableMemory?.() ?? freemem()) / megabyte,
    freeDiskMb: async (path) => {
      const { bavail, bsize } = await statfs(path);
      return (bavail * bsize) / megabyte;
    },
    sleep: untilTime,
    prepareFiles,
    trackFiles,
    canWrite,
    runScript: (request) => runScript(request, env),
  };
}

/** The longest delay of a wait after the machine was suspended, in milliseconds. */
const longestNapMs = 5_000;

/**
 * Waits for a moment: the clock on the wall counts, which continues while a laptop is suspended and timers
 * don't. A clock that is set back doesn't make it longer. What else is due happens at least once meanwhile, also where
 * there is nothing to wait for: who asks again and again must not keep the ends of processes from being heard.
 */
async function untilTime(ms: number, signal: AbortSignal): Promise<void> {
  await nextTurn();
  const [end, latest] = [Date.now() + ms, performance.now() + ms];
  for (;;) {
    const left = Math.min(end - Date.now(), latest - performance.now());
    if (left <= 0 || signal.aborted) return;
    await wait(Math.min(left, longestNapMs), undefined, { signal }).catch(() => undefined);
  }
}

async function canWrite(path: string): Promise<boolean> {
  const probe = join(path, `.write-probe-${process.pid}`);
  try {
    makeFolders(path, 0o700);
    await writeFile(probe, '');
    await rm(probe);
    return true;
  } catch {
    return false;
  }
}

async function prepareFiles({
  from,
  to,
  copy,
  link,
  files,
  hidden,
}: Parameters<MachinePort['prepareFiles']>[0]): Promise<readonly string[]> {
  const isHidden = (path: string): boolean => hidden.some((glob) => isPathBlockedByGlob(glob, path));
  for (const path of files) {
    if (isHidden(path) || leadsThroughLink(to, path)) continue;
    await mkdir(dirname(join(to, path)), { recursive: true });
    await cp(join(from, path), join(to, path), { recursive: true, force: false, errorOnExist: false });
  }
  if (copy.length + link.length === 0) return [];
  const found = await matching(from, '', [...copy, ...link]);
  // A hidden file is copied only where the configuration clearly means it.
  const isLeftOut = (path: string): boolean => isHidden(path) && !isHiddenPathShared(hidden, copy, path);
  const filter = (path: string): boolean => {
    const name = relative(from, path);
    return !isLeftOut(name) && !leadsThroughLink(to, name);
  };
  for (const path of found) {
    if (leadsThroughLink(to, path)) continue;
    const target = join(to, path);
    await mkdir(dirname(target), { recursive: true });
    // Where git keeps the place of a submodule, its files come in as copies: a link would be a change of the task.
    const isLinked = link.some((glob) => globMatchesPath(glob, path)) && !existsSync(target);
    if (existsSync(join(from, path, '.git'))) await copyNested(join(from, path), target, filter);
    else if (isLinked) await symlink(join(from, path), target).catch(ignoreExisting);
    else await cp(join(from, path), target, { recursive: true, force: false, errorOnExist: false, filter });
  }
  return [...copy, ...link].filter((glob) => !found.some((path) => globMatchesPath(glob, path)));
}

/** Whether a link stands at a place in a worktree or above it: what an agent or a setup made may lead out of there. */
function leadsThroughLink(worktree: string, path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, at) => {
    const place = join(worktree, ...parts.slice(0, at + 1));
    return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  });
}

/** Another repository's files without what binds them to it: that would name a folder which isn't there. */
function copyNested(from: string, to: string, takes: (path: string) => boolean): Promise<void> {
  return cp(from, to, { recursive: true, filter: (path) => basename(path) !== '.git' && takes(path) });
}

/** Files and folders that match a glob; what lies in a matching folder isn't looked at. */
async function matching(root: string, folder: string, globs: readonly string[]): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (path === '.git') continue;
    if (globs.some((glob) => globMatchesPath(glob, path))) found.push(path);
    else if (entry.isDirectory() && globs.some((glob) => locksConflict(glob, `${path}/**`)))
      found.push(...(await matching(root, path, globs)));
  }
  return found;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

type ScriptRequest = Parameters<MachinePort['runScript']>[0];

async function runScript(
  { command, cwd, timeoutMs, facts, over }: ScriptRequest,
  env: Readonly<Record<string, string | undefined>>,
): ReturnType<MachinePort['runScript']> {
  // Loaded only where a script is configured.
  const { execa } = await import('execa');
  const child = execa('/bin/sh', ['-c', command], {
    cwd,
    env: { ...env, ...scriptVariables(facts) },
    extendEnv: false,
    input: JSON.stringify(facts),
    all: true,
    reject: false,
    detached: true,
  });
  let note = '';
  // Programs that the script started hold its output open: the whole group must end, not only the shell.
  const timer = setTimeout(() => {
    note = `\nIt took longer than ${timeoutMs / 1_000} s (hooks.timeout).`;
    endGroup(child.pid);
  }, timeoutMs);
  const onOver = (): void => endGroup(child.pid);
  over?.addEventListener('abort', onOver);
  // A script that announces a question ends with this program, however that ends.
  if (over !== undefined) process.once('exit', onOver);
  if (over?.aborted === true) onOver();
  const { exitCode, all, originalMessage } = await child;
  over?.removeEventListener('abort', onOver);
  process.off('exit', onOver);
  clearTimeout(timer);
  const output = exitCode === undefined && note === '' ? `${all}\n${originalMessage ?? ''}` : `${all}${note}`;
  return { exitCode: exitCode ?? null, output: output.slice(-outputLimit) };
}

/** The facts as FLAME_* variables: text as it is, everything else as JSON. */
function scriptVariables(facts: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      `FLAME_${key.toUpperCase()}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}
