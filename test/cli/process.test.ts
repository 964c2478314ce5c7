import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/repo.ts';

const driver = fileURLToPath(new URL('./process-driver.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

test('all of a long output arrives through a pipe', async () => {
  const { code, stdout } = await watch(start(['flood']));
  assert.is(code, 0);
  assert.is(stdout.split('\n').length, 20_001);
});

test('a closed pipe ends quietly', async () => {
  const child = spawn('sh', ['-c', `"$0" "$1" flood | head -n 1; echo done`, process.execPath, driver]);
  const { code, stdout, stderr } = await watch(child);
  assert.equal([code, stdout, stderr], [0, 'line 0\ndone\n', '']);
});

test('a closed pipe stops a command that goes on for long', async () => {
  const script = `{ "$0" "$1" tick; echo "ended with $?" >&2; } | true`;
  const child = spawn('sh', ['-c', script, process.execPath, driver]);
  const { stderr } = await watch(child);
  assert.is(stderr, 'ended with 141\n');
});

test("a promise that never settles ends with 1 and a message, not with node's 13", async () => {
  const { code, stderr } = await watch(start(['never']));
  assert.equal([code, stderr], [1, 'git flame stopped before it was done.\n']);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`LIF-3: ${signal} aborts, and the command ends with 130`, async () => {
    const child = start(['wait']);
    child.stdout?.once('data', () => child.kill(signal));
    const { code, stdout, stderr } = await watch(child);
    assert.equal([code, stdout, stderr], [130, 'ready\nstopping\n', 'Interrupted.\n']);
  });
}

test('LIF-3: a second Ctrl-C hurries', async () => {
  const child = start(['stubborn']);
  child.stdout?.on('data', () => child.kill('SIGINT'));
  const { code, stdout } = await watch(child);
  assert.equal([code, stdout], [130, 'ready\nstopping\n']);
});

test('GIT_PREFIX says where the person stands', async () => {
  const folder = makeTempDir();
  mkdirSync(join(folder, 'sub'));
  const shown = async (prefix: string): Promise<string> =>
    (await watch(start(['where'], { cwd: folder, prefix }))).stdout.trim();
  assert.is(await shown('sub/'), join(folder, 'sub'));
  assert.is(await shown(''), folder);
  assert.is(await shown('gone/'), folder);
});

function start(args: readonly string[], options: { cwd?: string; prefix?: string } = {}): ChildProcess {
  return spawn(process.execPath, [driver, ...args], {
    cwd: options.cwd,
    env: { ...process.env, GIT_PREFIX: options.prefix ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function watch(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

test.run();
