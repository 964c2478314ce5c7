import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../lib/domain/flame-error.ts';
import type { Gates } from '../../lib/domain/ports/gates.ts';
import { hasFailedDiagnostic } from '../../lib/domain/state/changeset-facts.ts';
import { runMergeWave } from '../../lib/engine/merge/merge-wave.ts';
import { viewSession } from '../../lib/engine/record-changes.ts';
import { runReviewWave } from '../../lib/engine/review/review-wave.ts';
import { runValidateWave } from '../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../lib/engine/work/work-wave.ts';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { assertRefused } from '../support/refusal.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../support/workshop.ts';

// Green apart, red together: what no door lets through without a reason.

const tasks: readonly ScriptTask[] = ['x', 'y'].map((name) => ({
  id: `make-${name}`,
  script: `echo 1 > ${name}`,
  locks: [name],
  group: 'both',
}));

test('MRG-8: what a person landed red is no fault of what lands after it', async () => {
  const commands = ['test ! -e x || test ! -e y', 'test ! -e x || test ! -e worse'];
  const repo = makeExecProject({ config: { validation: { validator_diagnostics: { commands } } } });
  const green = { id: 'make-z', script: 'echo 1 > z', locks: ['z'], group: 'green' };
  const worse = { id: 'make-worse', script: 'echo 1 > worse', locks: ['worse'], group: 'worse' };
  const plan = writePlan(repo, [...tasks, green, worse]);
  const changesets = [{ override: 'known, mended next' }, 'approve', 'approve'];
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets });
  const run = await flame(repo, ['run', 'All', '--from', plan, '--decisions-file', decisions]);
  const landed = ['both', 'green', 'worse'].filter((group) => run.stderr.includes(`Changeset 1-${group} landed`));
  assert.equal(landed, ['both', 'green'], run.stderr);
  assert.match(
    run.stderr,
    /Changeset 1-worse did not land: Its checks pass alone and fail together with what has just landed: test ! -e x \|\| test ! -e worse\n/,
  );
});

test('MRG-8 what fails on the base as well is said to, of verdicts and changesets', async () => {
  const commands = ['test -e never', 'test ! -e x'];
  const repo = makeExecProject({ config: { validation: { validator_diagnostics: { commands } } } });
  const plan = writePlan(repo, tasks.slice(0, 1));
  const passed = [{ override: 'known' }];
  const decisions = writeDecisions(repo, { plan: ['approve'], validation: passed });
  const run = await flame(repo, ['run', 'One', '--from', plan, '--decisions-file', decisions]);
  assertRefused(run, { code: 2, says: 'whose diagnostics fail' });
  const { stdout } = await flame(repo, ['show', '1-both']);
  assert.match(stdout, /failed: test -e never ended with 1, as it does on the base without this change \(/);
  assert.match(stdout, /failed: test ! -e x ended with 1 \(/);
});

/** An engine whose checks all fail, at the end of its work; whoever decides says what `gates` say. */
async function openRed(gates: Partial<Gates>): Promise<Pick<TestWorkshop, 'context' | 'session'>> {
  const { context, session } = await openTestWorkshop({
    agent: ({ role, worktree }) => {
      if (role === 'worker') writeFileSync(join(worktree.path, 'x'), '1\n');
      return {};
    },
    tasks: [{ id: 'make-x', title: 'Make x', description: 'Make x.', file_locks: ['x'] }],
    config: { validation: { validator_diagnostics: { commands: ['npm test'] } } },
    gates,
  });
  const failing = { exitCode: 1, timedOut: false, duration_ms: 1, output: '1 of 9 failed' };
  const red = { ...context, agents: { ...context.agents, runCommand: async () => failing } };
  await runWorkWave(red, session);
  return { context: red, session };
}

const passing = (override = ''): Partial<Gates> => ({
  validation: async () => ({ kind: 'pass', override }),
});

test('VAL-3: a person passes what fails its checks only with a reason, and the checks stay recorded', async () => {
  const silent = await openRed(passing());
  const error = await runValidateWave(silent.context, silent.session).catch((caught: unknown) => caught);
  assert.ok(error instanceof FlameError && error.code === 'needs-override', String(error));
  const [failed] = (await viewSession(silent.context, silent.session)).tasks;
  assert.is(failed?.result.status, 'fail');

  const said = await openRed(passing('flaky on this machine'));
  await runValidateWave(said.context, said.session);
  const { tasks: passed, snapshot } = await viewSession(said.context, said.session);
  const verdict = snapshot.verdictsOf(said.session).findLast(({ override }) => override !== undefined);
  assert.is(passed[0]?.result.status, 'pass');
  assert.is(verdict?.override, 'flaky on this machine');
  assert.is(verdict?.evidence?.results.failed, 1);
  assert.is(verdict?.diagnostics[0]?.output, '1 of 9 failed');
});

test('MRG-8: a reason that nobody can see is none, for a task and for a changeset', async () => {
  const unseen = await openRed(passing('\u200b\u3164'));
  const refused = await runValidateWave(unseen.context, unseen.session).catch((caught: unknown) => caught);
  assert.ok(refused instanceof FlameError && refused.code === 'needs-override', String(refused));

  const { context, session } = await openRed({
    ...passing('wanted all the same'),
    changeset: async () => ({ kind: 'approve', override: '\u200b' }),
  });
  await runValidateWave(context, session);
  await runMergeWave(context, session);
  const error = await runReviewWave(context, session).catch((caught: unknown) => caught);
  assert.ok(error instanceof FlameError && error.code === 'needs-override', String(error));
});

test('MRG-8: the engine itself takes no bare approval of a red changeset, whichever gate it comes from', async () => {
  const { context, session } = await openRed({
    ...passing('wanted all the same'),
    changeset: async () => ({ kind: 'approve' }),
  });
  await runValidateWave(context, session);
  await runMergeWave(context, session);
  const error = await runReviewWave(context, session).catch((caught: unknown) => caught);
  assert.ok(error instanceof FlameError && error.code === 'needs-override', String(error));
  assert.is((await viewSession(context, session)).session.changesets[0]?.state, 'waiting');
});

test('MRG-8: the checks of a red changeset run again on its very commit, and what is green then needs no reason', async () => {
  const asked: [string, boolean][] = [];
  const { context, session } = await openRed({
    ...passing('wanted all the same'),
    changeset: async ({ changeset }) => {
      const red = hasFailedDiagnostic(changeset);
      asked.push([changeset.commit, red]);
      return red ? { kind: 'recheck', where: 'command' } : { kind: 'approve' };
    },
  });
  await runValidateWave(context, session);
  await runMergeWave(context, session);
  const good = { exitCode: 0, timedOut: false, duration_ms: 1, output: '' };
  const mended = { ...context, agents: { ...context.agents, runCommand: async () => good } };
  await runReviewWave(mended, session);
  const [commit] = asked[0] ?? [];
  assert.equal(asked, [
    [commit, true],
    [commit, false],
  ]);
  const now = (await viewSession(context, session)).session;
  const [landed] = now.changesets;
  assert.equal([landed?.state, landed?.commit, landed?.reason], ['landed', commit, null]);
  assert.equal(
    now.gates.filter(({ gate }) => gate.startsWith('changeset')).map(({ decision, where }) => [decision, where]),
    [
      ['recheck', 'command'],
      ['approve', undefined],
    ],
  );
});

test('MRG-8: checks that still fail leave a red changeset to the person, also where a file has them run for all', async () => {
  const commands = ['test ! -e x || test ! -e y'];
  const repo = makeExecProject({ config: { validation: { validator_diagnostics: { commands } } } });
  const first = writeDecisions(repo, { plan: ['approve'], changesets: ['recheck'] });
  const run = await flame(repo, ['run', 'All', '--from', writePlan(repo, tasks), '--decisions-file', first]);
  assertRefused(run, { code: 2, says: 'whose diagnostics fail' });
  assert.match(run.stderr, 'Changeset both: its checks ran again: test ! -e x || test ! -e y still fails.');
  assert.match(run.stderr, 'changesets: [{override: REASON} | {reject: REASON} | skip | recheck]');
  const all = writeDecisions(repo, { changesets: [{ all: 'recheck' }] });
  const still = await flame(repo, ['review', '--decisions-file', all]);
  assertRefused(still, { code: 2, says: 'whose diagnostics fail' });
  assert.is(still.stderr.split('its checks ran again').length, 2);
});

test.after(closeWorkshops);
test.run();
