import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gitLimits } from '../../../lib/domain/config/checked-work-limits.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { delayAbort } from '../../../lib/git/open-git.ts';
import { type GitRunLimits, limitGitCommandLine } from '../../../lib/git/process/limit-git-runs.ts';
import { runGit } from '../../../lib/git/process/run-git.ts';
import { listProcesses } from '../../support/processes.ts';
import { makeRepo } from '../../support/repo.ts';
import { until } from '../../support/until.ts';

/** A git that reads a pipe nobody writes to, and never ends by itself; tells what it was ended for. */
async function hang(guard: GitRunLimits, accept: readonly number[] = [0]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pipe-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const repo = makeRepo();
  try {
    await runGit({ cwd: repo.path, env: repo.env, guard }, ['config', '-f', pipe, 'a.b'], { accept });
    return 'it ended';
  } catch (error) {
    return error instanceof FlameError ? `${error.code}: ${error.message}` : `${error}`;
  } finally {
    assert.is(running(pipe), false, 'nothing of it is left');
    rmSync(folder, { recursive: true });
  }
}

function running(text: string): boolean {
  return listProcesses().some(({ args }) => args.includes(`-f ${text} a.b`));
}

async function untilHanging(): Promise<void> {
  const reads = `-f ${join(tmpdir(), 'pipe-')}`;
  await until('git reads a pipe', () => listProcesses().some(({ args }) => args.includes(reads)));
}

test('a git on what an agent left is ended at its time limit', async () => {
  const said = await hang({ limits: { ...gitLimits, wallMs: 200 } });
  assert.match(said, /^cell-git-ended: git config took longer than 0\.2 s on the agent's work\./);
});

test('it is ended when the person stops the program, and at once when they do so again', async () => {
  const [stop, hurry] = [new AbortController(), new AbortController()];
  const stopped = delayAbort({ signal: stop.signal, hurry: hurry.signal }, 200);
  const ended = hang({ limits: gitLimits, stopped });
  await untilHanging();
  stop.abort();
  assert.is(stopped.aborted, false);
  // No fault of what the agent left.
  assert.match(await ended, /^interrupted: Stopped while an agent's work was judged/);
  const inHurry = delayAbort({ signal: stop.signal, hurry: hurry.signal }, 60_000);
  const again = hang({ limits: gitLimits, stopped: inHurry });
  await untilHanging();
  hurry.abort();
  assert.is(inHurry.aborted, true);
  assert.match(await again, /^interrupted:/);
  // Also where git's own exit code for what it can't do would be an answer.
  assert.match(await hang({ limits: gitLimits, stopped: inHurry }, [0, 128]), /^interrupted:/);
});

test('it dies with a program that is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pipe-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const script = join(process.cwd(), 'build/test/git/limited-parent.js');
  const parent = spawn(process.execPath, [script, pipe], { stdio: 'ignore' });
  await until('git reads the pipe', () => running(pipe));
  parent.kill('SIGKILL');
  await until('git is gone', () => !running(pipe));
  rmSync(folder, { recursive: true });
});

test('a lock it leaves is removed, and memory and processor time are limited', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  const lock = join(folder, 'index.lock');
  writeFileSync(lock, '');
  await hang({ limits: { ...gitLimits, wallMs: 100 }, lock });
  assert.throws(() => execFileSync('ls', [lock], { stdio: 'ignore' }));
  const repo = makeRepo();
  const guard = { limits: { wallMs: 60_000, cpuSeconds: 77, memoryMb: 99 } };
  const { stdout } = await runGit({ cwd: repo.path, env: repo.env, guard }, [
    ...['-c', 'alias.limits=!ulimit -t; ulimit -d', 'limits'],
  ]);
  assert.is(stdout.toString(), `77\n${99 * 1024}\n`);
  rmSync(folder, { recursive: true });
});

test('what ended a git that took too much processor time is said', async () => {
  const repo = makeRepo();
  const lines = Array.from({ length: 60_000 }, (_, at) => `${at}\n`);
  repo.write('up', lines.join(''));
  repo.write('down', lines.reverse().join(''));
  const guard = { limits: { ...gitLimits, cpuSeconds: 1 } };
  // The files have one line in common at a time: it takes seconds.
  const args = ['diff', '--no-index', '--minimal', '--stat', 'up', 'down'];
  await runGit({ cwd: repo.path, env: repo.env, guard }, args, { accept: [0, 1] }).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /^git diff took more than 1 s of processor time/),
  );
});

test('a shell that holds git leaves a second between being told of its processor time and the end', () => {
  const guard = { limits: { wallMs: 60_000, cpuSeconds: 77, memoryMb: 99 } };
  const [file = '', ...words] = limitGitCommandLine(guard, ['/bin/sh', '-c', 'ulimit -St; ulimit -Ht'], '');
  assert.is(execFileSync(file, words, { encoding: 'utf8' }), '77\n78\n');
});

test.run();
