import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MachinePort } from '../../engine/workshop.ts';
import { pathMatches } from '../../util/path-globs.ts';

const megabyte = 1024 * 1024;
const outputLimit = 4_000;

/** The machine the tool runs on. */
export function createMachine(env: Readonly<Record<string, string | undefined>>): MachinePort {
  return {
    freeMemoryMb: () => availableMemoryMb(),
    freeDiskMb: async (path) => {
      const { bavail, bsize } = await statfs(path);
      return (bavail * bsize) / megabyte;
    },
    sleep: async (ms, signal) => {
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    },
    prepareFiles,
    canWrite,
    runScript: (request) => runScript(request, env),
  };
}

let memoryAtLast = { at: 0, mb: 0 };

/** Free memory as the kernel counts it for new programs: caches that can go are free. Asked at most once a second. */
function availableMemoryMb(): number {
  const now = Date.now();
  if (now - memoryAtLast.at < 1_000) return memoryAtLast.mb;
  memoryAtLast = { at: now, mb: (process.availableMemory?.() ?? freemem()) / megabyte };
  return memoryAtLast.mb;
}

async function canWrite(path: string): Promise<boolean> {
  const probe = join(path, `.write-probe-${process.pid}`);
  try {
    await mkdir(path, { recursive: true });
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
}: Parameters<MachinePort['prepareFiles']>[0]): Promise<void> {
  if (copy.length + link.length === 0) return;
  for (const path of await matching(from, '', [...copy, ...link])) {
    const target = join(to, path);
    await mkdir(dirname(target), { recursive: true });
    const isLinked = link.some((glob) => pathMatches(glob, path));
    if (isLinked) await symlink(join(from, path), target).catch(ignoreExisting);
    else await cp(join(from, path), target, { recursive: true, force: false, errorOnExist: false });
  }
}

/** Files and folders that match a glob; what lies in a matching folder isn't looked at. */
async function matching(root: string, folder: string, globs: readonly string[]): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (path === '.git') continue;
    if (globs.some((glob) => pathMatches(glob, path))) found.push(path);
    else if (entry.isDirectory() && globs.some((glob) => reachesBelow(glob, path)))
      found.push(...(await matching(root, path, globs)));
  }
  return found;
}

function reachesBelow(glob: string, folder: string): boolean {
  const literal = glob.split(/[*?[{]/)[0] ?? '';
  return literal === ''
    ? glob.includes('**')
    : literal.startsWith(`${folder}/`) || (folder.startsWith(literal) && glob.includes('**'));
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

type ScriptRequest = Parameters<MachinePort['runScript']>[0];

function runScript(
  { command, cwd, timeoutMs, facts }: ScriptRequest,
  env: Readonly<Record<string, string | undefined>>,
): ReturnType<MachinePort['runScript']> {
  const variables = Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      `FLAME_${key.toUpperCase()}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  const child = spawn('/bin/sh', ['-c', command], {
    cwd,
    env: { ...env, ...variables },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-outputLimit);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(facts));
  const timer = setTimeout(() => {
    output += `\nIt took longer than ${timeoutMs / 1_000} s (hooks.timeout).`;
    endGroup(child.pid);
  }, timeoutMs);
  return new Promise((resolve) => {
    const end = (exitCode: number | null): void => {
      clearTimeout(timer);
      resolve({ exitCode, output });
    };
    child.on('error', (error) => {
      output += error.message;
      end(null);
    });
    child.on('close', end);
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}
