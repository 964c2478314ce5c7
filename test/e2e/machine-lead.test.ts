import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ScriptTask, writeDecisions } from '../support/exec-project.ts';
import { type FlameRun, flame } from '../support/flame.ts';
import { type MachineRig, makeMachines, type RigMachine } from '../support/machine-rig.ts';
import type { TestRepo } from '../support/repo.ts';

const make = (id: string, group = 'main'): ScriptTask => ({
  ...{ id, group, locks: [`src/${id}.txt`] },
  script: `mkdir -p src; echo ${id} > src/${id}.txt`,
});
const decided = ['--decisions-file', '.git/decisions.yml'];

function rig(tasks: readonly ScriptTask[]): MachineRig {
  return makeMachines(2, tasks);
}

function run(
  { repo }: RigMachine,
  more: readonly string[] = ['Do them', '--from', '.git/plan.yml'],
): Promise<FlameRun> {
  return flame(repo, ['run', ...more, '--remote', 'origin', ...decided]);
}

/** A teammate's commit on the remote's main. */
function pushOther({ repo }: RigMachine, path: string): string {
  repo.write(path, 'theirs\n');
  const commit = repo.commit('theirs');
  repo.git('push', '-q', 'origin', 'main');
  return commit;
}

test('DST-1 a lead whose branch is behind the remote brings it forward, works on that and lands', async () => {
  const { remote, lead, other } = rig([make('task-001')]);
  const commit = pushOther(other, 'notes.txt');
  const { code, stderr } = await run(lead);
  assert.is(code, 0, stderr);
  assert.match(stderr, /main was behind origin\. It is now at/);
  assert.ok(existsSync(join(lead.repo.path, 'notes.txt')) && existsSync(join(lead.repo.path, 'src/task-001.txt')));
  assert.is(lead.repo.git('status', '--porcelain'), '');
  assert.is(remote.git('rev-parse', 'main'), lead.repo.git('rev-parse', 'main'));
  remote.git('merge-base', '--is-ancestor', commit, 'main');
});

test('DST-1 what stands against that is named before anything is done, with the command that helps', async () => {
  const { remote, lead, other } = rig([make('task-001')]);
  pushOther(other, 'notes.txt');
  lead.repo.write('notes.txt', 'mine\n');
  const before = lead.repo.git('rev-parse', 'main');
  const behind = await run(lead);
  assert.is(behind.code, 2, behind.stderr);
  assert.match(behind.stderr, /main here can't follow origin: .* has files that it would overwrite/);
  assert.match(behind.stderr, /git pull --ff-only origin main/);
  assert.is(lead.repo.git('rev-parse', 'main'), before);
  lead.repo.git('reset', '-q', '--hard');
  lead.repo.git('clean', '-qfd');
  lead.repo.git('pull', '-q', '--ff-only', 'origin', 'main');
  lead.repo.write('own.txt', 'mine\n');
  lead.repo.commit('not pushed');
  const ahead = await run(lead, []);
  assert.is(ahead.code, 2, ahead.stderr);
  assert.match(ahead.stderr, /main has commits here that are not at origin/);
  assert.match(ahead.stderr, /git push origin main/);
  lead.repo.git('push', '-q', 'origin', 'main');
  writeDecisions(lead.repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
  const done = await flame(lead.repo, ['run', '--remote', 'origin', '--from', '.git/plan.yml', ...decided]);
  assert.is(done.code, 0, done.stderr);
  assert.is(remote.git('show', 'main:src/task-001.txt'), 'task-001');
});

test('DST-1 a landing of a session that machines share is taken back where it is led: by a revert that lands at the remote', async () => {
  const { remote, lead, other } = rig([make('task-001', 'a'), make('task-002', 'b')]);
  writeDecisions(lead.repo, { plan: ['approve'], changesets: ['approve', 'skip'] });
  const waiting = await run(lead);
  assert.is(waiting.code, 2, waiting.stderr);
  assert.is(remote.git('show', 'main:src/task-001.txt'), 'task-001');
  const synced = await flame(other.repo, ['sync', 'origin']);
  assert.is(synced.code, 0, synced.stderr);
  const elsewhere = await flame(other.repo, ['undo', 'a', '--drop', 'not wanted']);
  assert.is(elsewhere.code, 1, elsewhere.stderr);
  assert.match(elsewhere.stderr, /leads this session/);
  assert.match(elsewhere.stderr, /Run the same command on that machine/);
  const undone = await flame(lead.repo, ['undo', 'a', '--drop', 'not wanted']);
  assert.is(undone.code, 0, undone.stderr);
  assert.match(undone.stdout, /reverts 1-a/);
  assert.match(remote.git('log', '-3', '--format=%s', 'refs/blueflame/tasks'), /undo|revert|takes/i);
  writeDecisions(lead.repo, {
    changesets: ['approve', 'approve', 'approve'],
    session: ['continue', 'continue'],
  });
  const after = await flame(lead.repo, ['run', ...decided]);
  assert.is(after.code, 0, after.stderr);
  assert.is(remote.git('ls-tree', '-r', '--name-only', 'main', 'src/'), 'src/a.txt\nsrc/task-002.txt');
  assert.is(remote.git('rev-parse', 'main'), lead.repo.git('rev-parse', 'main'));
});

test('DST-1 so it is once the session has ended: the revert is shared as the session was', async () => {
  const { remote, lead } = rig([make('task-001')]);
  const done = await run(lead);
  assert.is(done.code, 0, done.stderr);
  const undone = await flame(lead.repo, ['undo', '--drop', 'not wanted']);
  assert.is(undone.code, 0, undone.stderr);
  writeDecisions(lead.repo, { changesets: ['approve'], session: ['stop'] });
  const after = await flame(lead.repo, ['run', ...decided]);
  assert.is(after.code, 0, after.stderr);
  assert.is(remote.git('ls-tree', '-r', '--name-only', 'main', 'src/'), 'src/a.txt');
  assert.is(remote.git('rev-parse', 'main'), lead.repo.git('rev-parse', 'main'));
});

/** A session of two groups, of which the first has landed and the second still waits, and where main was before. */
async function halfLanded(): Promise<ReturnType<typeof rig> & { readonly before: string; readonly landed: string }> {
  const made = rig([make('task-001', 'a'), make('task-002', 'b')]);
  const before = made.remote.git('rev-parse', 'main');
  writeDecisions(made.lead.repo, { plan: ['approve'], changesets: ['approve', 'skip'] });
  const waiting = await run(made.lead);
  assert.is(waiting.code, 2, waiting.stderr);
  // A copy would ask for the third machine, which there is none of.
  return Object.assign(made, { before, landed: made.remote.git('rev-parse', 'main') });
}

const stateAt = ({ git }: TestRepo): string =>
  git(
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/blueflame/tasks',
    'refs/blueflame/sessions',
    'refs/heads/main',
  );

for (const [what, isTold] of [
  ['a branch that somebody reset at the remote after a landing', true],
  ['a landing whose server ended before it moved the branch, and whose lead was killed', false],
] as const)
  test(`DST-1 LIF-4 ${what} is asked about: nothing is overwritten, and nothing lands twice`, async () => {
    const { remote, lead, before, landed } = await halfLanded();
    remote.git('update-ref', 'refs/heads/main', before);
    // The lead never heard that its landing was taken.
    if (!isTold) lead.repo.git('reset', '-q', '--hard', before);
    const at = stateAt(remote);
    const asked = await run(lead, []);
    assert.is(asked.code, 2, asked.stderr);
    assert.match(asked.stderr, /1-a is recorded as landed at origin, .* but main there is at .*before it/);
    const [, command = ''] = asked.stderr.match(/To restore it there: git (push origin \S+)/) ?? [];
    assert.is(command, `push origin ${landed}:refs/heads/main`);
    assert.is(stateAt(remote), at, 'nothing was pushed');
    lead.repo.git(...command.split(' '));
    writeDecisions(lead.repo, { changesets: ['approve', 'approve'], session: ['continue', 'continue'] });
    const after = await run(lead, []);
    assert.is(after.code, 0, after.stderr);
    assert.is(
      remote.git('ls-tree', '-r', '--name-only', 'main', 'src/task-001.txt', 'src/task-002.txt'),
      'src/task-001.txt\nsrc/task-002.txt',
    );
    assert.is(remote.git('rev-list', '--first-parent', '--count', `${before}..main`), '2', 'each landed once');
    assert.is(remote.git('rev-parse', 'main'), lead.repo.git('rev-parse', 'main'));
  });

test('DST-1 a machine with another configuration is refused by each value that differs', async () => {
  const { lead, other } = rig([make('task-001')]);
  writeDecisions(lead.repo, { plan: ['approve'] });
  assert.is((await run(lead)).code, 2);
  const file = join(other.repo.path, '.blueflame.yml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('development: 2', 'development: 3'));
  other.repo.commit('three at once');
  const { code, stderr } = await flame(other.repo, ['work', '--join', 'origin']);
  assert.is(code, 1, stderr);
  assert.match(stderr, /configuration differs from the session's/);
  assert.match(stderr, /concurrency\.development: 2 there, 3 here/);
});

test.run();
