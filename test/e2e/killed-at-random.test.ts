import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../lib/util/user-folders.ts';
import {
  endState,
  findDamage,
  findRemains,
  findTornLanding,
  freshRun,
  makeVictim,
  start,
  startAgain,
} from '../support/kill-rig.ts';
import { makeRandom } from '../support/random.ts';
import type { TestRepo } from '../support/repo.ts';
import { until } from '../support/until.ts';

// Whole runs killed at any time, half of them with every process they had started, git too. What they come to must
// not depend on when that was, so a few are in every run of the tests. By hand: FLAME_KILL_RUNS=150, FLAME_KILL_SEED=7.
const runs = Number(process.env.FLAME_KILL_RUNS ?? 2);
const seed = Number(process.env.FLAME_KILL_SEED ?? 1);

const undisturbed = makeVictim();
const began = performance.now();
const first = start(undisturbed);
const wholeMs = performance.now() - began;
const expected = await endState(undisturbed);
assert.is(first.code, 0, first.stderr);

for (let run = 1; run <= runs; run += 1) {
  const random = makeRandom(seed * 10_000 + run);
  const afterMs = Math.floor(random.next() * wholeMs);
  const whom = random.chance(0.5) ? 'all' : 'tool';
  test(`LIF-4 UNI-4 run ${run}: ${whom} killed after ${afterMs} ms, then started again: as if nothing had happened`, async () => {
    const repo = makeVictim();
    await startAndKill(repo, afterMs, whom);
    await untilAlone(repo);
    const left = describeLocks(repo);
    const again = await startAgain(repo, {});
    const told = `${again.stderr}\n${left}`;
    assert.is(again.code, 0, told);
    assert.equal(await endState(repo), expected, told);
    assert.equal(findRemains(repo), [], told);
    assert.is(findDamage(repo), '');
    assert.is(findTornLanding(repo), '');
    rmSync(dirname(repo.path), { recursive: true, force: true });
  });
}

async function startAndKill(repo: TestRepo, afterMs: number, whom: string): Promise<void> {
  const child = spawn(process.execPath, [join(packageRoot(), 'bin', 'git-flame'), ...freshRun], {
    cwd: repo.path,
    env: { ...repo.env, TMPDIR: join(dirname(repo.path), 'tmp') },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const timer = setTimeout(() => {
    const pids = [child.pid ?? 0, ...(whom === 'all' ? descendants(child.pid ?? 0) : [])];
    for (const pid of pids) kill(pid);
  }, afterMs);
  await ended;
  clearTimeout(timer);
}

/** A git that outlived the tool ends by itself: nothing is judged before. */
async function untilAlone(repo: TestRepo): Promise<void> {
  const isGit = (pid: string): boolean => readProc(pid, 'cmdline').includes(repo.path) && isNamed(pid, 'git');
  const isAlone = (): boolean => !readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && isGit(pid));
  await until('each git has ended', isAlone);
}

function isNamed(pid: string, name: string): boolean {
  return readProc(pid, 'comm').trim() === name;
}

/** What the kill left of lock files and notes, to tell why a run didn't go on. */
function describeLocks(repo: TestRepo): string {
  const git = join(repo.path, '.git');
  return readdirSync(git, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.lock$|motion-/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${statSync(path).mtimeMs}: ${readFileSync(path, 'utf8')}`)
    .join('\n');
}

function descendants(pid: number): number[] {
  const children = readdirSync('/proc').filter(
    (other) => /^\d+$/.test(other) && new RegExp(`\\) . ${pid} `).test(readProc(other, 'stat')),
  );
  return children.flatMap((child) => [Number(child), ...descendants(Number(child))]);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

test.run();
