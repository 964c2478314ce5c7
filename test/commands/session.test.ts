import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly is_current: boolean;
  readonly tasks: Readonly<Record<string, number>>;
}

async function sessionsOf(repo: TestRepo, ...more: readonly string[]): Promise<readonly Listed[]> {
  const { lines } = await flameJson(repo, ['session', 'list', ...more]);
  return lines[0]?.sessions as readonly Listed[];
}

/** A session with two tasks, planned and not worked on. */
async function plannedProject(): Promise<TestRepo> {
  const repo = makeExecProject();
  const plan = writePlan(repo, [
    { id: 'one', script: 'echo one > src/one.txt', locks: ['src/one.txt'] },
    { id: 'two', script: 'echo two > src/two.txt', locks: ['src/two.txt'] },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const { code, stderr } = await flame(repo, [
    ...['plan', 'Count\nfrom one on', '--from', plan, '--decisions-file', decisions],
  ]);
  assert.is(code, 0, stderr);
  return repo;
}

test('DSK-5: an objective that no session can hold is refused with its length, and nothing is stored', async () => {
  const repo = makeRepo();
  const refused = await flame(repo, ['run', 'x'.repeat(50_001)]);
  assert.is(refused.code, 129);
  assert.match(refused.stderr, '50,001 characters; it may have 50,000 characters');
  assert.not.match(refused.stderr, 'doctor');
  assert.equal(await sessionsOf(repo), []);
});

test('DSK-5: sessions are listed with a title of the person, and one that is given up is out of the way', async () => {
  const repo = await plannedProject();
  const [before] = await sessionsOf(repo);
  assert.equal(
    [before?.title, before?.state, before?.is_current, before?.tasks],
    ['Count', 'active', true, { pending: 2 }],
  );
  assert.is((await flame(repo, ['session', 'rename', before?.id ?? '', 'Numbers', 'first'])).code, 0);
  assert.match(
    (await flame(repo, ['session'])).stdout,
    /^\* ses-\S+ +active +.* 0 of 2 tasks merged .* Numbers first$/m,
  );
  assert.match((await flame(repo, ['status'])).stdout, `${before?.id}  Numbers first`);
  const asked = await flame(repo, ['session', 'end']);
  assert.is(asked.code, 2);
  assert.match(asked.stderr, `git flame session end ${before?.id} --yes`);
  const ended = await flame(repo, ['session', 'end', '--yes']);
  assert.is(ended.code, 0, ended.stderr);
  assert.match(ended.stderr, `next: git flame resume ${before?.id}\n`);
  assert.equal(
    (await sessionsOf(repo)).map(({ state, tasks }) => [state, tasks]),
    [['ended', { pending: 2 }]],
  );
  const again = await flame(repo, ['session', 'end', '--yes']);
  assert.is(again.code, 0);
  assert.match(again.stdout, 'had ended already');
  const decisions = writeDecisions(repo, { changesets: [{ all: 'approve' }] });
  const resumed = await flame(repo, ['resume', before?.id ?? '', '--decisions-file', decisions]);
  assert.is(resumed.code, 0, resumed.stderr);
  assert.is(repo.git('show', 'main:src/two.txt'), 'two');
});

test('DSK-5: a session does not end while a task of it is claimed, and a title is one printable line', async () => {
  const repo = await plannedProject();
  assert.is((await flame(repo, ['task', 'claim', 'one'])).code, 0);
  const refused = await flame(repo, ['session', 'end', '--yes']);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, "can't end while tasks of it are claimed: one");
  assert.equal(
    (await sessionsOf(repo)).map(({ state }) => state),
    ['active'],
  );
  for (const title of ['', 'a\u001b[2Jb', 'x'.repeat(201)]) {
    const { code, stderr } = await flame(repo, ['session', 'rename', ...(title === '' ? [] : [title])]);
    assert.is(code, 129, title);
    assert.match(stderr, /title/i);
  }
});

test.run();
