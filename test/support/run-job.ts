import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { removeAgentWrittenFolder } from '../../lib/cell/run/end-runs.ts';

/** A command of a test run. */
export interface Job {
  readonly name: string;
  readonly command: readonly string[];
  /** Whether its temporary folder may be memory. */
  readonly isInMemory: boolean;
}

export interface JobEnd {
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly output: string;
  readonly seconds: number;
  /** Of it and all it started; without a control group, of what was waited for; null where nobody asked. */
  readonly cpuSeconds: number | null;
}

export const limitSeconds = Number(process.env.FLAME_TEST_LIMIT ?? 600);
const graceMs = 60_000;
export const countsCpu = process.env.FLAME_TEST_CPU === '1';
// What all temporary folders together need at most.
const neededBytes = 4 * 2 ** 30;
const inMemory = wordsForMemory();
// Where control groups can be made that count, in the first version of them: the second has none that only counts.
const counters = '/sys/fs/cgroup/cpuacct';

// Every node that is started with it reads a file of certificates first, which takes as long as all else of its start.
const { NODE_EXTRA_CA_CERTS: _, ...withoutCertificates } = process.env;

const running = new Set<ChildProcess>();
// Each job has a process group of its own, which the end of this one doesn't reach.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    for (const child of running) endGroup(child);
    process.exit(1);
  });

/** Runs a job to its end, or until it has taken too long, with a temporary folder of its own. */
export async function runJob({ command, isInMemory }: Job): Promise<JobEnd> {
  const began = Date.now();
  // A file that is ended at its limit can't clear up after itself, nor can programs that tests kill.
  const temporary = mkdtempSync(join(tmpdir(), 'flame-'));
  // One test runs the program as another user.
  chmodSync(temporary, 0o755);
  const counter = countsCpu ? openCounter(basename(temporary)) : null;
  const [program = '', ...words] = [...(isInMemory ? inMemory : []), ...(counter?.words ?? []), ...command];
  const child = spawn(program, words, {
    stdio: ['ignore', 'pipe', 'pipe', countsCpu ? 'pipe' : 'ignore'],
    detached: true,
    env: {
      ...withoutCertificates,
      TMPDIR: temporary,
      FLAME_TEST_SWEEPS: '1',
      FORCE_COLOR: '0',
    },
  });
  const [output, times] = [collect(child, [1, 2]), collect(child, [3])];
  const end = await waitFor(child);
  removeAgentWrittenFolder(temporary);
  return {
    ...end,
    output: output(),
    seconds: (Date.now() - began) / 1000,
    cpuSeconds: counter?.read(times()) ?? null,
  };
}

/**
 * Words before a command that give it a temporary folder in memory, which goes with its last process. Where only
 * root may mount, others use the disk.
 */
function wordsForMemory(): readonly string[] {
  const mount = 'mount -t tmpfs -o mode=755 flame "$TMPDIR" && exec "$@"';
  const words = ['-m', 'sh', '-c', mount, 'sh'];
  const folder = mkdtempSync(join(tmpdir(), 'flame-'));
  const env = { ...process.env, TMPDIR: folder };
  const canMount = spawnSync('unshare', [...words, 'true'], { env }).status === 0;
  removeAgentWrittenFolder(folder);
  const isWanted = freemem() >= neededBytes && process.env.FLAME_TEST_DISK !== '1';
  return canMount && isWanted ? ['unshare', ...words] : [];
}

function collect(child: ChildProcess, streams: readonly (1 | 2 | 3)[]): () => string {
  const chunks: Buffer[] = [];
  for (const at of streams) child.stdio[at]?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

async function waitFor(child: ChildProcess): Promise<{ code: number | null; timedOut: boolean }> {
  let timedOut = false;
  running.add(child);
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(child);
  }, limitSeconds * 1000);
  // What a failed test left running, such as a program that waits for its next step, holds no lane.
  let afterwards: NodeJS.Timeout | undefined;
  child.stdout?.on('data', (chunk: Buffer) => {
    if (chunk.includes('  Duration: ')) afterwards ??= setTimeout(() => endGroup(child), graceMs);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  clearTimeout(afterwards);
  running.delete(child);
  return { code, timedOut };
}

function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

/** What counts the processor seconds of a command that is started with its words. */
interface CpuCounter {
  readonly words: readonly string[];
  /** Given what the words printed to the third stream, once all is over. */
  read(printed: string): number;
}

/** By a control group, which also counts what was ended with its cell; else by the shell that starts the command. */
function openCounter(name: string): CpuCounter {
  const group = join(counters, name);
  if (!canMake(group))
    return {
      words: ['/bin/sh', '-c', '"$@" 3>&-; code=$?; times >&3; exit $code', 'sh'],
      read: sumOfTimes,
    };
  return {
    words: ['/bin/sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@" 3>&-', group],
    read: () => {
      const nanoseconds = Number(readFileSync(join(group, 'cpuacct.usage'), 'utf8'));
      removeGroup(group);
      return nanoseconds / 1e9;
    },
  };
}

function canMake(group: string): boolean {
  try {
    mkdirSync(group);
    return true;
  } catch {
    return false;
  }
}

/** One that still holds a process stays. */
function removeGroup(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    process.stderr.write(`${group} still holds processes\n`);
  }
}

/** `times` of a shell: minutes and seconds, of the user and of the system, its own and its children's. */
function sumOfTimes(text: string): number {
  return [...text.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}
