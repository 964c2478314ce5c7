import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { probeSandbox } from '../../lib/cell/probes/sandbox-probe.ts';
import type { AgentEnd } from '../../lib/domain/ports/adapter.ts';
import { makeTempDir } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { type CellFixture, openCellFixture, processesNaming, spareCellsOf } from './fixture.ts';

const here = dirname(fileURLToPath(import.meta.url));
const { confinement, limits } = await probeSandbox(process.env);
const hasOwnGroups = /^cgroup/.test(limits.processes) || /^cgroup/.test(limits.memory);
const early = testIf(
  test,
  confinement === 'bubblewrap' && hasOwnGroups,
  'no cell can be begun early here: that needs bubblewrap and control groups of our own',
);

early(
  'SBX-1: an agent starts in a cell that was begun before, and finds what the first one found',
  async () => {
    const { runner, request } = await openCellFixture();
    const prompt = [
      'env | sed "s/=.*//" | sort',
      'readlink /proc/self/fd/0 | sed s/[0-9]*//g; pwd | sed s/[0-9a-f]*$//',
      'ls /proc/self/fd; ulimit -a; cat /proc/self/status | grep -E "Cap|Seccomp:|NoNewPrivs"; sed s/-[0-9]*$// /proc/self/cgroup',
      "printf '%s\\n' \"it's a word\"",
    ].join('\n');
    const first = await (await runner.start(request({ prompt }), () => undefined)).outcome;
    assert.match(first.text, /it's a word$/);
    const spares = await nextSpares();
    const second = await runner.start(request({ prompt }), () => undefined);
    assert.ok(spares.includes(second.pid));
    assert.is((await second.outcome).text, first.text);
    await nextSpares();
    await runner.close();
    assert.equal(spareCellsOf(process.pid), []);
  },
);

early(
  'SBX-4: one that was begun before ends whenever it is stopped, and nothing has begun in it',
  async () => {
    const { runner, request } = await openCellFixture();
    await quick({ runner, request });
    for (let round = 0; round < 12; round += 1) {
      const [mark, spares] = [`spare-${process.pid}-${round}`, await nextSpares()];
      const agent = await runner.start(request({ prompt: `exec -a ${mark} sleep 300` }), () => undefined);
      assert.ok(spares.includes(agent.pid));
      await sleep(round / 2);
      await agent.stop(5_000);
      assert.is(((await agent.outcome).answer as AgentEnd).stoppedBecause, 'stopped');
      assert.equal(processesNaming(mark), []);
    }
    await runner.close();
  },
);

early('one that ended meanwhile is not used', async () => {
  const { runner, request } = await openCellFixture();
  await quick({ runner, request });
  const spares = await nextSpares();
  for (const spare of spares) process.kill(spare, 'SIGKILL');
  while (spares.some((spare) => existsSync(`/proc/${spare}`))) await sleep(1);
  assert.is(await quick({ runner, request }), 'done');
  await runner.close();
});

early('LIF-4: a SIGKILL of the tool ends those that wait, and an agent in one of them', async () => {
  for (const afterMs of ['2', '8', '']) {
    const [mark, folder] = [`spare-${process.pid}-killed${afterMs}`, makeTempDir()];
    const parent = spawn(process.execPath, [join(here, 'killed-parent.js'), mark, afterMs, 'spare'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: folder },
    });
    let said = '';
    parent.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('ready')) parent.kill('SIGKILL');
    });
    await once(parent, 'close');
    assert.is(parent.signalCode, 'SIGKILL');
    const spares = /^spare (.+)$/m.exec(said)?.[1]?.split(' ') ?? [];
    assert.ok(spares.length > 0);
    while (processesNaming(mark).length > 0 || spares.some((pid) => existsSync(`/proc/${pid}`)))
      await sleep(100);
  }
});

/** Runs an agent that does next to nothing. */
async function quick({ runner, request }: Pick<CellFixture, 'runner' | 'request'>): Promise<string> {
  return (await (await runner.start(request({ prompt: 'echo done' }), () => undefined)).outcome).text;
}

/** Those that wait, once there is one. */
async function nextSpares(): Promise<readonly number[]> {
  for (;;) {
    const spares = spareCellsOf(process.pid);
    // What they said is heard meanwhile.
    await sleep(100);
    if (spares.length > 0) return spares;
  }
}

test.run();
