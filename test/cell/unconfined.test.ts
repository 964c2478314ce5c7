import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { type CellFixture, openCellFixture, processesNaming } from './fixture.ts';

const isLinux = testIf(test, process.platform === 'linux', 'needs /proc');

isLinux('SBX-3: without bubblewrap it says what is missing, and an agent still works', async () => {
  const fixture = await openWithout('bwrap');
  const { kind, missing } = await fixture.runner.sandbox();
  assert.is(kind, 'none');
  assert.match(
    missing.join('\n'),
    /^bubblewrap is installed and can't make a cell here[\s\S]*^Agents can write every file/m,
  );
  await commits(fixture);
});

for (const programs of [['bwrap'], ['bwrap', 'setpriv']]) {
  isLinux(`SBX-4: nothing outlives an agent without ${programs.join(' and ')}`, async () => {
    const fixture = await openWithout(...programs);
    const mark = `flame-${process.pid}-${programs.length}`;
    const agent = await fixture.runner.start(fixture.request({ prompt: strays(mark) }), () => undefined);
    assert.is((await agent.outcome).text, 'done');
    assert.equal(processesNaming(mark), []);
  });

  isLinux(`LIF-2: the time limit holds without ${programs.join(' and ')}`, async () => {
    const fixture = await openWithout(...programs);
    const mark = `flame-limit-${process.pid}-${programs.length}`;
    const run = await fixture.sh(`${strays(mark)}\nwait`, 700);
    assert.is(run.timedOut, true);
    assert.equal(processesNaming(mark), []);
  });
}

async function commits({ runner, request, port, cell }: CellFixture): Promise<void> {
  const prompt = 'echo new > new.txt; git add new.txt; git commit -qm new; echo $HOME';
  const agent = await runner.start(request({ prompt }), () => undefined);
  assert.match((await agent.outcome).text, /blueflame\/run\/worker-/);
  const head = await port.cellHead(cell);
  assert.is.not(head, cell.start);
  const commit = await port.readCommit(head, cell.quarantine);
  assert.is(commit.author, 'worker one <worker@example.com>');
}

/** Programs of these names fail here. */
function openWithout(...programs: readonly string[]): Promise<CellFixture> {
  const folder = makeTempDir('flame-path');
  for (const name of programs) writeFileSync(join(folder, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return openCellFixture({ env: { PATH: `${folder}:${process.env.PATH}` } });
}

function strays(mark: string): string {
  return [
    `bash -c 'exec -a ${mark} sleep 300' &`,
    `setsid bash -c 'exec -a ${mark} sleep 300' &`,
    `(setsid nohup bash -c 'exec -a ${mark} sleep 300' >/dev/null 2>&1 &)`,
    `while [ $(grep -lsa '^${mark}' /proc/*/cmdline | wc -l) -lt 3 ]; do :; done`,
    'echo done',
  ].join('\n');
}

test.run();
