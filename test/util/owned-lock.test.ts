import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removeDeadOwnedLocks, takeLock } from '../../lib/util/owned-lock.ts';
import { ownIdentity, type ProcessIdentity } from '../../lib/util/process-identity.ts';
import { makeTempDir } from '../support/repo.ts';

const holder = fileURLToPath(new URL('lock-holder.js', import.meta.url));
const options = { staleMs: 10_000 };

function startHolder(...args: string[]): ChildProcess {
  return spawn(process.execPath, [holder, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** A holder that was killed while it had the lock. */
async function leaveDeadLock(path: string): Promise<void> {
  const child = startHolder(path);
  if (child.stdout !== null) await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  assert.is(existsSync(path), true);
}

/** A lock as a process with this identity would have left it. */
function plantLock(path: string, change: Partial<ProcessIdentity>): void {
  mkdirSync(path);
  writeFileSync(`${path}-owner`, `${JSON.stringify({ ...ownIdentity(), ...change })}\nabc\n`);
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'taken',
    (error: NodeJS.ErrnoException) => error.code,
  );
}

test('LIF-6 the lock of a killed holder is taken over at once, and nothing is left of it', async () => {
  const folder = makeTempDir();
  const path = join(folder, 'a.lock');
  await leaveDeadLock(path);
  const release = await takeLock(path, options);
  assert.match(readFileSync(`${path}-owner`, 'utf8'), new RegExp(`"pid":${process.pid}\\b`));
  await release();
  assert.equal(readdirSync(folder), []);
});

test('LIF-6 a living holder keeps its lock', async () => {
  const path = join(makeTempDir(), 'a.lock');
  const child = startHolder(path);
  if (child.stdout !== null) await once(child.stdout, 'data');
  assert.is(await codeOf(takeLock(path, options)), 'ELOCKED');
  child.stdin?.end();
  await once(child, 'close');
  const release = await takeLock(path, options);
  assert.is(await codeOf(takeLock(path, options)), 'ELOCKED');
  await release();
});

test('LIF-1 a pid that was given to another process is not the holder, nor is one of before the last boot', async () => {
  for (const change of [{ start: '1' }, { boot: 'another' }]) {
    const path = join(makeTempDir(), 'a.lock');
    plantLock(path, change);
    await (await takeLock(path, options))();
    assert.is(existsSync(path), false);
  }
});

test('nothing is known of a holder on another machine or in another container: its lock is honoured', async () => {
  for (const change of [{ host: 'elsewhere' }, { namespace: 'pid:[1]', pid: 4_194_304 }]) {
    const path = join(makeTempDir(), 'a.lock');
    plantLock(path, change);
    assert.is(await codeOf(takeLock(path, options)), 'ELOCKED');
  }
});

test('a holder that was killed before it named itself holds the lock no longer than the stale time', async () => {
  const path = join(makeTempDir(), 'a.lock');
  mkdirSync(path);
  assert.is(await codeOf(takeLock(path, options)), 'ELOCKED');
  utimesSync(path, new Date(0), new Date(0));
  await (await takeLock(path, options))();
  assert.is(existsSync(path), false);
});

test('locks of dead holders that nobody asks for any more are removed too', async () => {
  const folder = makeTempDir();
  await leaveDeadLock(join(folder, 'dead.lock'));
  plantLock(join(folder, 'stranger.lock'), { host: 'elsewhere' });
  mkdirSync(join(folder, 'other'));
  const release = await takeLock(join(folder, 'mine.lock'), options);
  removeDeadOwnedLocks(folder);
  removeDeadOwnedLocks(join(folder, 'absent'));
  assert.equal(readdirSync(folder).sort(), [
    ...['mine.lock', 'mine.lock-owner', 'other', 'stranger.lock', 'stranger.lock-owner'],
  ]);
  await release();
});

test('UNI-2 of eight that find a dead lock at once, one at a time has it', async () => {
  const folder = makeTempDir();
  const [path, notes] = [join(folder, 'a.lock'), join(makeTempDir(), 'notes')];
  await leaveDeadLock(path);
  const children = Array.from({ length: 8 }, () => startHolder(path, notes));
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0]));
  assert.equal(
    codes,
    Array.from({ length: 8 }, () => 0),
  );
  const lines = readFileSync(notes, 'utf8').trim().split('\n');
  assert.is(lines.length, 16);
  for (let at = 0; at < lines.length; at += 2) assert.is(lines[at + 1], lines[at]?.replace('+', '-'));
  assert.equal(readdirSync(folder), []);
});

test.run();
