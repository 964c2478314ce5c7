import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgramByStarter, type SendProgramSignal } from '../../../lib/git/process/starter-process.ts';
import { packageRoot } from '../../../lib/util/user-folders.ts';
import { listProcesses } from '../../support/processes.ts';
import { makeTempDir } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';

const isBuilt = existsSync(join(packageRoot(), 'dist', 'git-starter'));
const built = testIf(test, isBuilt, 'no C compiler has built the starter');

function run(script: string, given: { input?: string | Uint8Array; cwd?: string; words?: string[] } = {}) {
  const { input, cwd = '/', words = [] } = given;
  return runProgramByStarter({ argv: ['/bin/sh', '-c', script, ...words], cwd, env: { HERE: 'a b' }, input });
}

built('what a program prints, how it ended, where and with what it ran come back', async () => {
  const end = await run('pwd; echo "$HERE $1" >&2; cat; exit 3', {
    cwd: '/usr',
    input: 'given\n',
    words: ['sh', 'ö \n "x"'],
  });
  assert.is(end?.code, 3);
  assert.is(end?.stdout.toString(), '/usr\ngiven\n');
  assert.is(end?.stderr.toString(), 'a b ö \n "x"\n');
  const killed = await run('kill -9 $$');
  assert.is(killed?.code, null);
});

built('megabytes go both ways, empty input is the end of it, none is /dev/null', async () => {
  const input = Buffer.alloc(5_000_000, 'abcdefg\n');
  assert.equal((await run('cat', { input }))?.stdout, input);
  assert.is((await run('cat', { input: '' }))?.stdout.length, 0);
  assert.is((await run('readlink /proc/self/fd/0'))?.stdout.toString(), '/dev/null\n');
  assert.is((await run('exit 0', { input }))?.code, 0, 'it may end before it has read all');
});

built('many run side by side, each in a session of its own, with no open file of another', async () => {
  const alone = (await run('ls /proc/self/fd'))?.stdout.toString();
  const script = 'echo $1; cut -d" " -f6 /proc/$$/stat; echo $$; ls /proc/self/fd';
  const ends = await Promise.all(
    Array.from({ length: 40 }, (_, at) => run(script, { words: ['sh', `${at}`], input: 'x'.repeat(at) })),
  );
  for (const [at, end] of ends.entries()) {
    const [name, session, pid, ...files] = end?.stdout.toString().split('\n') ?? [];
    assert.is(name, `${at}`);
    assert.is(session?.trim(), pid);
    assert.is(files.join('\n'), alone);
  }
});

built('a program that is not there, or a folder, is told; only what has a path is started', async () => {
  for (const program of [
    { argv: ['/no/such'], cwd: '/' },
    { argv: ['/bin/sh'], cwd: '/no/such' },
  ])
    await runProgramByStarter({ ...program, env: {}, input: undefined }).then(
      () => assert.unreachable(),
      (error: Error) => assert.match(error.message, /refused to start it: error 2/),
    );
  assert.is(await runProgramByStarter({ argv: ['sh'], cwd: '/bin', env: {}, input: undefined }), null);
});

built('where the starter dies, what runs counts as ended by a signal, and the next is started by another', async () => {
  // Ends with whoever reads it.
  const waiting = run('while echo on; do sleep 0.1; done');
  await run('true');
  for (const pid of starters()) process.kill(pid, 'SIGKILL');
  assert.is((await waiting)?.code, null);
  assert.is((await run('exit 4'))?.code, 4);
});

const limits = { cpuSeconds: 60, memoryMb: 500 };

/** Resolves once all that opened the pipe to write have ended: a program, and what it started. Names those that don't. */
async function untilClosed(pipe: string, begin: () => void): Promise<void> {
  const reader = createReadStream(pipe);
  reader.once('data', begin);
  const limit = AbortSignal.timeout(120_000);
  await once(reader.resume(), 'end', { signal: limit }).catch((error: unknown) => {
    throw limit.aborted
      ? new Error(
          listProcesses()
            .map(({ pid, parent, args }) => `${pid} ${parent} ${args}`)
            .join('\n'),
        )
      : error;
  });
}

function makePipe(): string {
  const pipe = join(makeTempDir(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

/** Holds the pipe open, as does what it started. */
const twoThatWait = 'exec 3>"$0"; sleep 600 & echo on >&3; sleep 600';

built('what has limits is held: it hears signals, and ends with the starter, by what name it is known', async () => {
  const bounds = await runProgramByStarter({
    ...{ argv: ['/bin/sh', '-c', 'ulimit -St; ulimit -Ht; ulimit -d; ulimit -c'], cwd: '/', env: {} },
    ...{ input: undefined, limits },
  });
  assert.is(bounds?.stdout.toString(), '60\n61\n512000\n0\n');
  const held = (script: string, pipe: string, onStart?: (signal: SendProgramSignal) => void) =>
    runProgramByStarter(
      { argv: ['/bin/sh', '-c', script, pipe], cwd: '/', env: {}, input: undefined, limits },
      onStart,
    );
  const [pipe, other] = [makePipe(), makePipe()];
  let signal: SendProgramSignal = () => undefined;
  const stopped = held(twoThatWait, pipe, (given) => {
    signal = given;
  });
  await untilClosed(pipe, () => signal('SIGTERM'));
  assert.is((await stopped)?.signal, 'SIGTERM');
  signal('SIGKILL');
  const lost = held('exec 3>"$0"; echo on >&3; exec sleep 600', other);
  await untilClosed(other, () => {
    for (const pid of starters()) process.kill(pid, 'SIGKILL');
  });
  assert.is((await lost)?.code, null);
});

built('where the tool is gone, what is held ends with all it started; the rest comes to its end', async () => {
  const [pipe, free] = [makePipe(), makePipe()];
  const starter = spawn(join(packageRoot(), 'dist', 'git-starter'), [], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  starter.stdout.resume();
  const ask = (id: number, words: readonly string[], bounds: string): void => {
    const texts = ['/', ...words].map((word) => `${word}\0`).join('');
    starter.stdin.write(`${id} ${words.length} 0 -1 ${Buffer.byteLength(texts)} ${bounds}\n${texts}`);
  };
  const closed = untilClosed(pipe, () => starter.stdin.end());
  ask(1, ['/bin/sh', '-c', twoThatWait, pipe], '60 1000000000');
  ask(2, ['/bin/sh', '-c', 'read line <"$0"', free], '-1 -1');
  await closed;
  // It opens only where somebody reads.
  writeFileSync(free, 'on\n');
});

/** The starters of this process. */
function starters(): readonly number[] {
  const field = (pid: string, name: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && field(pid, 'comm') === 'git-starter\n')
    .filter((pid) => new RegExp(`\\) . ${process.pid} `).test(field(pid, 'stat')))
    .map(Number);
}

test.run();
