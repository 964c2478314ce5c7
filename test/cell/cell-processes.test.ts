import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentEnd } from '../../lib/domain/ports/adapter.ts';
import { makeTempDir } from '../support/repo.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { openCellFixture, processesNaming } from './fixture.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');
const here = dirname(fileURLToPath(import.meta.url));

inCell('SBX-4: what an agent left running ends with it, also what left its group and environment', async () => {
  const { runner, request } = await openCellFixture();
  const mark = makeMark();
  const prompt = `${strays(mark)}\necho done`;
  const agent = await runner.start(request({ prompt }), () => undefined);
  const { text } = await agent.outcome;
  assert.is(text, 'done');
  assert.equal(processesNaming(mark), []);
});

inCell('LIF-4: a SIGKILL of the tool ends its agents', async () => {
  const mark = makeMark();
  const parent = spawn(process.execPath, [join(here, 'killed-parent.js'), mark], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // It can't clear up after itself.
    env: { ...process.env, TMPDIR: makeTempDir() },
  });
  await heard(parent.stdout, 'ready');
  const alive = processesNaming(mark);
  assert.ok(alive.length >= 4, `${alive.length} processes`);
  parent.kill('SIGKILL');
  await until('all have ended', () => processesNaming(mark).length === 0);
});

inCell('LIF-4: a SIGKILL of the tool while a cell is made lets nothing go on in it', async () => {
  for (const afterMs of [1, 4, 7, 10]) {
    const [mark, folder] = [makeMark(), makeTempDir()];
    const parent = spawn(process.execPath, [join(here, 'killed-parent.js'), mark, `${afterMs}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, TMPDIR: folder },
    });
    await once(parent, 'close');
    assert.is(parent.signalCode, 'SIGKILL');
    const isCleared = (): boolean =>
      processesNaming(mark).every((pid, _, { length }) => length === 1 && waitsForever(pid));
    await until('all but one that waits have ended', isCleared);
    for (const pid of processesNaming(mark)) process.kill(pid, 'SIGKILL');
  }
});

inCell('LIF-3: a cell that is stopped while it is made ends, and nothing has begun in it', async () => {
  const { runner, request } = await openCellFixture();
  for (let round = 0; round < 20; round += 1) {
    const mark = makeMark();
    const agent = await runner.start(request({ prompt: `exec -a ${mark} sleep 300` }), () => undefined);
    await sleep(round / 2);
    await agent.stop(5_000);
    assert.is(((await agent.outcome).answer as AgentEnd).stoppedBecause, 'stopped');
    assert.equal(processesNaming(mark), []);
  }
});

inCell('LIF-2: an agent over its time is ended, TERM first, with all it started', async () => {
  const { runner, request } = await openCellFixture();
  const mark = makeMark();
  const prompt = `trap 'echo asked; exit 7' TERM\n${strays(mark)}\nwhile :; do sleep 0.02; done`;
  const agent = await runner.start(request({ prompt, timeoutMs: 1_000 }), () => undefined);
  const { answer, text, exitCode } = await agent.outcome;
  assert.is((answer as AgentEnd).timedOut, true);
  assert.is(text, 'asked');
  assert.is(exitCode, 7);
  assert.equal(processesNaming(mark), []);
});

inCell('LIF-3: stop kills what does not listen', async () => {
  const { runner, request } = await openCellFixture();
  const mark = makeMark();
  const prompt = `trap '' TERM\nbash -c 'exec -a ${mark} sleep 300' &\necho ready\nwhile :; do wait; done`;
  const said = makeListener('ready');
  const agent = await runner.start(request({ prompt }), ({ text }) => said.hear(text));
  await said.heard;
  await agent.stop(50);
  const { answer } = await agent.outcome;
  assert.is((answer as AgentEnd).stoppedBecause, 'stopped');
  assert.equal(processesNaming(mark), []);
});

inCell('LIF-1: a living agent is registered with what proves its process, and forgotten at its end', async () => {
  const { runner, request, repo } = await openCellFixture();
  const said = makeListener('ready');
  const wanted = request({ prompt: 'echo ready; sleep 300' });
  const agent = await runner.start(wanted, ({ text }) => said.hear(text));
  await said.heard;
  const folder = join(repo.path, '.git/blueflame/run', wanted.id);
  const [live] = await runner.listLiveAgents();
  assert.is(live?.id, wanted.id);
  assert.is(live?.pid, agent.pid);
  assert.is(live?.started_at, '2026-02-06T14:30:22.000Z');
  assert.ok(JSON.parse(readFileSync(join(folder, 'agent.json'), 'utf8')).pid_start);
  await runner.close();
  assert.equal(await runner.listLiveAgents(), []);
  assert.not.ok(existsSync(folder));
  assert.ok(existsSync((await agent.outcome).logFile));
});

inCell('ADP-2: a flood of output is read, and kept up to a cap that is marked', async () => {
  const { runner, request } = await openCellFixture();
  const agent = await runner.start(request({ prompt: 'yes 0123456789 | head -c 60000000; echo end' }), () => undefined);
  const { text, logFile } = await agent.outcome;
  assert.match(text, /end$/);
  const size = statSync(logFile).size;
  assert.ok(size > 20_000_000 && size < 21_100_000, `${size}`);
  assert.match(readFileSync(logFile, 'utf8').slice(-100), /\n\{"type":"truncated","limit_bytes":20971520\}\n$/);
});

inCell('SBX-1: CPU time, file size, open files and memory are limited', async () => {
  const { sh, runner, request } = await openCellFixture({
    config: { sandbox: { max_cpu_seconds: 1, max_file_size_mb: 1, max_open_files: 64, max_memory_mb: 300 } },
  });
  const prompt = 'head -c 3000000 /dev/zero > big; echo "rc $?"; stat -c %s big; rm big';
  const agent = await (await runner.start(request({ prompt }), () => undefined)).outcome;
  // A hundredth and 4 KiB above the limit, so that what was cut off is over it.
  assert.match(agent.text, /rc 153\n1063424/);
  // Setup and checks make larger files than an agent writes.
  assert.match((await sh(prompt)).output, /rc 0\n3000000/);
  const memory = await sh(`node -e 'Buffer.alloc(900_000_000, 1); console.log("allocated")'`);
  assert.not.match(memory.output, /allocated/);
  assert.is.not(memory.exitCode, 0);
  const open = await sh('ulimit -n; ulimit -Hn');
  assert.is(open.output, '64\n64\n');
  const cpu = await sh('while :; do :; done');
  // The process's own limit and that of the whole cell are reached at once; either ends it.
  assert.ok(cpu.exitCode === 152 || /reached its CPU limit/.test(cpu.output), JSON.stringify(cpu));
  assert.is(cpu.timedOut, false);
});

inCell('SBX-6: a diagnostic over its time is ended and says so', async () => {
  const { sh } = await openCellFixture();
  const mark = makeMark();
  const run = await sh(`echo begun; bash -c 'exec -a ${mark} sleep 300'`, 500);
  assert.is(run.timedOut, true);
  assert.is(run.exitCode, null);
  assert.is(run.output, 'begun\n');
  assert.equal(processesNaming(mark), []);
});

inCell('a diagnostic gives its exit code and the last 4,000 characters of both streams', async () => {
  const { sh } = await openCellFixture();
  const run = await sh('for i in $(seq 3000); do echo line $i; done; echo last >&2; exit 3');
  assert.is(run.exitCode, 3);
  assert.is(run.output.length, 4_000);
  assert.match(run.output, /line 3000\nlast\n$/);
});

inCell('a cell that cannot be made is a failure, not a crash', async () => {
  const { repo, runner, request, cell } = await openCellFixture();
  const broken = { ...cell, path: `${cell.path}-gone` };
  const agent = await runner.start(request({ worktree: broken }), () => undefined);
  assert.is((await agent.outcome).failure?.kind, 'spawn-failed');
  await runner.close();
  const runs = join(repo.path, '.git/blueflame/run');
  assert.equal(existsSync(runs) ? readdirSync(runs) : [], []);
});

/**
 * Whether bubblewrap's inner half waits for a word of the outer one, which is dead where it is alone: what is left of a
 * cell whose making was cut there, until the next start ends it.
 */
function waitsForever(pid: number): boolean {
  try {
    const [call, descriptor] = readFileSync(`/proc/${pid}/syscall`, 'utf8').split(' ');
    return call === '0' && readlinkSync(`/proc/${pid}/fd/${Number(descriptor)}`) === 'anon_inode:[eventfd]';
  } catch {
    return false;
  }
}

function makeMark(): string {
  return `flame-${randomBytes(6).toString('hex')}`;
}

/** Starts children that try to outlive the script, and waits until they run. */
function strays(mark: string): string {
  return [
    `setsid bash -c 'exec -a ${mark} sleep 300' >/dev/null 2>&1 &`,
    `(setsid nohup bash -c 'exec -a ${mark} sleep 300' >/dev/null 2>&1 &)`,
    `env -i /usr/bin/setsid bash -c 'exec -a ${mark} sleep 300' &`,
    `while [ $(grep -lsa '^${mark}' /proc/*/cmdline | wc -l) -lt 3 ]; do :; done`,
  ].join('\n');
}

function makeListener(word: string): { hear(text: string): void; readonly heard: Promise<void> } {
  let resolve: () => void = () => undefined;
  const heard = new Promise<void>((done) => {
    resolve = done;
  });
  return { hear: (text) => (text.includes(word) ? resolve() : undefined), heard };
}

async function heard(stream: AsyncIterable<Buffer>, word: string): Promise<void> {
  for await (const chunk of stream) if (chunk.toString().includes(word)) return;
  throw new Error(`the process ended without saying ${word}`);
}

test.run();
