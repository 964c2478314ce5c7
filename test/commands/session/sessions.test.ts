import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../../lib/util/user-folders.ts';
import { makeExecProject, writeDecisions, writePlan } from '../../support/exec-project.ts';
import { flame, flameJson } from '../../support/flame.ts';
import { untilLetGo } from '../../support/machine-rig.ts';
import { untilSaid } from '../../support/program.ts';
import type { TestRepo } from '../../support/repo.ts';

interface Started {
  readonly ended: Promise<Ended>;
  /** Resolves once its agent works. */
  readonly works: () => Promise<void>;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A run of its own process; its one task waits until there is a branch `go` where `waits`. */
function startRun(
  repo: TestRepo,
  name: string,
  waits: boolean,
  // The base may move under a changeset as often as others land.
  changesets = ['approve', 'approve', 'approve', 'approve'],
): Started {
  const script = waits ? `${untilLetGo}; echo ${name} > src/${name}.txt` : `echo ${name} > src/${name}.txt`;
  const plan = writePlan(repo, [{ id: 'task-001', script, locks: [`src/${name}.txt`], group: name }], `${name}.yml`);
  const decisions = writeDecisions(
    repo,
    { plan: ['approve'], changesets, session: ['continue', 'continue'] },
    `${name}-decisions.yml`,
  );
  const argv = ['run', '--new', name, '--from', plan, '--decisions-file', decisions];
  const child = spawn(process.execPath, [join(packageRoot(), 'bin', 'git-flame'), ...argv], {
    cwd: repo.path,
    env: repo.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += `${chunk}`));
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, output })));
  return { ended, works: () => untilSaid(child, /started on task-001/) };
}

test('WRK-8 a new session stops none that another command works on: both land', async () => {
  const repo = makeExecProject();
  const first = startRun(repo, 'first', true);
  await first.works();
  const second = startRun(repo, 'second', false);
  const newer = await second.ended;
  assert.is(newer.code, 0, newer.output);
  assert.match(newer.output, /Session ses-\S+ continues in another git flame command, at the same time\./);
  repo.git('branch', 'go');
  const older = await first.ended;
  assert.is(older.code, 0, older.output);
  assert.equal([repo.git('show', 'main:src/first.txt'), repo.git('show', 'main:src/second.txt')], ['first', 'second']);
});

test('WRK-8 two sessions started in the same instant both land', async () => {
  const repo = makeExecProject();
  const runs = ['one', 'two', 'three'].map((name) => startRun(repo, name, false));
  for (const { code, output } of await Promise.all(runs.map(({ ended }) => ended))) assert.is(code, 0, output);
  for (const name of ['one', 'two', 'three']) assert.is(repo.git('show', `main:src/${name}.txt`), name);
});

test('WRK-8 what an older session proposes beside a newer one names it', async () => {
  const repo = makeExecProject();
  const first = startRun(repo, 'first', true, []);
  await first.works();
  const [status] = (await flameJson(repo, ['status'])).lines;
  const older = ((status?.session ?? {}) as { id: string }).id;
  const plan = writePlan(repo, [{ id: 'task-001', script: 'true', locks: ['src/x'] }], 'x.yml');
  const newer = await flame(repo, ['plan', '--new', 'newer', '--from', plan]);
  assert.is(newer.code, 2, newer.stderr);
  repo.git('branch', 'go');
  const { code, output } = await first.ended;
  assert.is(code, 2, output);
  assert.match(output, new RegExp(`git flame review --changeset first --approve --session ${older}`));
  assert.match(output, new RegExp(`git flame run --session ${older}`));
});

test.run();
