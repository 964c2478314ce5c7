import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';

test("TRU-1 TRU-2 QUE-1 no command takes a person's word from an agent's shell, without any chat that is connected", async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: 'echo x > src/one.txt', locks: ['src/one.txt'] }]);
  const approve = writeDecisions(repo, { plan: ['approve'] });
  const started = await flame(repo, ['run', 'One', '--from', plan, '--decisions-file', approve]);
  assert.is(started.code, 2, started.stderr);
  const added = await flame(repo, ['task', 'add', 'Two', '--locks', 'src/two.txt', '--description', 'true', '--json']);
  const two = String(/"(task-\d+)"/.exec(added.stdout)?.[1]);
  const before = repo.git('for-each-ref');
  const all = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] }, 'all.yml');
  const lines: readonly (readonly string[])[] = [
    ['review', '--changeset', 'main', '--approve'],
    ['review', '--changeset', 'main', '--reject', 'Not like this'],
    ['review', '--decisions-file', all],
    ['task', 'add', 'Three', '--locks', 'src/three.txt', '--description', 'true'],
    ['task', 'edit', two, '--description', 'false'],
    ['task', 'drop', two],
    ['task', 'drop', 'one'],
    ['trust', '--yes'],
    ['undo', '--drop', 'Not wanted'],
    ['note', 'accept', 'abc1234'],
    ['session', 'end', '--yes'],
    ['run', 'Another', '--new', '--from', plan, '--decisions-file', all],
  ];
  const passed: string[] = [];
  for (const argv of lines) {
    const { code, stderr } = await flame(repo, argv, { env: { CLAUDECODE: '1' } });
    if (!/ needs a person's decision/.test(stderr)) passed.push(`${argv.join(' ')}: ${code} ${stderr}`);
    // A session that is new has no plan yet.
    if (!argv.includes('--new') && repo.git('for-each-ref') !== before)
      passed.push(`${argv.join(' ')} changed something`);
  }
  assert.equal(passed, []);
});

test.run();
