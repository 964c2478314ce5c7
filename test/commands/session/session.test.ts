import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../../support/exec-project.ts';
import { flame, flameJson } from '../../support/flame.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

interface Listed {
  readonly title: string;
}

async function sessionsOf(repo: TestRepo): Promise<readonly Listed[]> {
  const { lines } = await flameJson(repo, ['session', 'list']);
  return lines[0]?.sessions as readonly Listed[];
}

/** A session that is planned and not worked on. */
async function plannedProject(): Promise<TestRepo> {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: 'echo one > src/one.txt', locks: ['src/one.txt'] }]);
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
  assert.match(refused.stderr, '50,001 characters, but may have at most 50,000 characters');
  assert.not.match(refused.stderr, 'doctor');
  assert.equal(await sessionsOf(repo), []);
});

test('DSK-5: a title is the first line of the objective, or one printable line of the person', async () => {
  const repo = await plannedProject();
  const [session] = await sessionsOf(repo);
  assert.is(session?.title, 'Count');
  for (const title of ['a\u001b[2Jb', 'x'.repeat(201)]) {
    const { code, stderr } = await flame(repo, ['session', 'rename', title]);
    assert.is(code, 129, title);
    assert.match(stderr, /title/i);
  }
});

test.run();
