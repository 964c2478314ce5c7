import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeDecisions } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import {
  beginLed,
  endOpened,
  letGo,
  machineEnd,
  makeMachines,
  startMachine,
  untilLetGo,
} from '../support/machine-rig.ts';
import { landsOnce, stepsDown, subjects, tasksOf, terms, twoLeads, worktrees } from '../support/two-leads.ts';
import { until } from '../support/until.ts';

// A lead that another machine takes the place of, by its person's word.

test.after(endOpened);

test('DST-1 LIF-4 a lead that is replaced while its agents work ends them, frees their tasks and keeps what they wrote as rescues', async () => {
  const rig = makeMachines(2, tasksOf(untilLetGo));
  const old = rig.lead;
  const leads = await twoLeads(
    rig,
    () =>
      worktrees(old) === 2 &&
      old.repo
        .git('worktree', 'list', '--porcelain')
        .split('\n')
        .filter((line) => line.includes('.trees/'))
        .every((line) => ['1', '2'].some((n) => existsSync(join(line.slice(9), `src/task-00${n}.txt`)))),
  );
  await stepsDown(leads);
  assert.match(old.said, /task-001, task-002 are free again/);
  const kept = old.repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/rescue/').split('\n');
  assert.is(kept.length, 2);
  for (const ref of kept) {
    const name = ref.replace('refs/blueflame/rescue/', '');
    assert.ok(old.said.includes(`git flame rescue show ${name}`), old.said);
    assert.is((await flame(old.repo, ['rescue', 'show', name])).code, 0);
    assert.match(old.repo.git('show', '--format=', '--name-only', ref), /^src\/task-00/);
  }
  const claims = subjects(rig.remote, 'tasks').filter((line) => /claimed -> pending/.test(line));
  assert.ok(claims.length >= 2, 'they are free before its lease is over');
  letGo(rig);
  await landsOnce(leads);
});

test('DST-1 LIF-4 what only who leads may do is refused on a machine whose clone has not heard yet that it leads no more', async () => {
  const rig = makeMachines(2, tasksOf('true'));
  const { remote, lead: old, other: next } = rig;
  writeDecisions(old.repo, { plan: ['approve'] });
  const { session } = await beginLed(rig);
  await machineEnd(old);
  assert.is(old.ends.at(-1), 2, old.said);
  const again = ['run', '--remote', 'origin', '--session', session, '--take-over'];
  writeDecisions(next.repo, { plan: ['approve'] });
  const taken = await flame(next.repo, [...again, '--decisions-file', '.git/decisions.yml']);
  assert.is(taken.code, 2, taken.stderr);
  const before = remote.git('for-each-ref', 'refs/blueflame/', 'refs/heads/');
  for (const command of [
    ['review', '--take-back', 'main'],
    ['undo', 'main', '--drop', 'no'],
  ]) {
    const { code, stderr } = await flame(old.repo, command);
    assert.is(code, 1, stderr);
    assert.match(stderr, /leads this session/);
    assert.match(stderr, /Run the same command on that machine/);
  }
  assert.is(remote.git('for-each-ref', 'refs/blueflame/', 'refs/heads/'), before);
});

test('DST-1 LIF-1 a machine that joined and is stopped frees what it held and says how to join again, as status does after a kill', async () => {
  const more = [3, 4].map((at) => ({ id: `task-00${at}`, script: untilLetGo, locks: [`src/${at}.txt`] }));
  const rig = makeMachines(2, [...tasksOf(untilLetGo), ...more]);
  const { lead, other } = rig;
  const { digest } = await beginLed(rig);
  await until('the lead has all it takes', () => worktrees(lead) === 2);
  startMachine(other, digest);
  await until('it works', () => worktrees(other) > 0 || other.child === null);
  other.child?.kill('SIGKILL');
  await machineEnd(other);
  assert.match((await flame(other.repo, ['status'])).stdout, /which has ended: git flame work --join origin frees it/);
  startMachine(other, digest);
  await until(
    'it works again',
    () => /is claimed|-> claimed/.test(other.said.split('were released')[1] ?? '') || other.child === null,
  );
  other.child?.kill('SIGINT');
  await machineEnd(other);
  assert.is(other.ends.at(-1), 130, other.said);
  assert.match(other.said, /next: git flame work --join origin\n/);
  assert.not.match(other.said, /next: git flame run\n/);
});

test('DST-1 of two machines whose persons have them take over at once one leads: the other one hears who', async () => {
  const rig = makeMachines(3, tasksOf('true'));
  const { remote, lead: old, other, third } = rig;
  writeDecisions(old.repo, { plan: ['approve'] });
  const { session } = await beginLed(rig);
  await machineEnd(old);
  // Each has decided on the same before one of them is answered.
  const script = `mkdir "$GIT_DIR/first" 2>/dev/null || { mkdir "$GIT_DIR/second" 2>/dev/null || true; exit 0; }
for i in $(seq 3000); do [ -e "$GIT_DIR/second" ] && break; sleep 0.1; done`;
  writeFileSync(join(remote.path, 'hooks/pre-receive'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const again = ['run', '--remote', 'origin', '--session', session, '--take-over'];
  const all = await Promise.all([other, third].map(({ repo }) => flame(repo, again)));
  const said = all.map(({ code, stderr }) => `${code}: ${stderr}`).join('\n----\n');
  assert.equal(all.map(({ code }) => code).sort(), [1, 2], said);
  const refused = all.find(({ code }) => code === 1)?.stderr ?? '';
  assert.match(refused, /leads this session/);
  assert.is(terms(rig), 2, said);
});

test.run();
