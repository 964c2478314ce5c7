import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Task } from '../../lib/domain/state/task.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flameJson } from '../support/flame.ts';

test('MRG-11: comments of a reject reach the tasks that changed the file, with the lines they are about', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [
    { id: 'one', script: "printf '1\\n2\\n3\\n' > src/one.txt", locks: ['src/one.txt'] },
    { id: 'two', script: 'echo two > src/two.txt', locks: ['src/two.txt'] },
  ]);
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: [
      {
        reject: 'not yet',
        comments: [
          { path: 'src/one.txt', line: 2, text: 'why two?' },
          { path: 'src/a.txt', side: 'old', line: 1, text: 'about all' },
          { path: 'src/one.txt', line: 99, text: 'no such line' },
        ],
      },
    ],
    session: ['stop'],
  });
  const run = await flameJson(repo, ['run', 'Remark', '--from', plan, '--decisions-file', decisions]);
  const tasks = (run.lines.at(-1)?.tasks ?? []) as readonly Task[];
  const commentsOf = (id: string) => tasks.find((task) => task.id === id)?.history.at(-1)?.comments;
  const all = { path: 'src/a.txt', side: 'old', line: 1, text: 'about all', excerpt: '> 1 | a' };
  assert.equal(commentsOf('one'), [
    { path: 'src/one.txt', side: 'new', line: 2, text: 'why two?', excerpt: '  1 | 1\n> 2 | 2\n  3 | 3' },
    all,
    { path: 'src/one.txt', side: 'new', line: 99, text: 'no such line' },
  ]);
  assert.equal(commentsOf('two'), [all]);
  const warnings = run.lines.filter(({ event, level }) => event === 'notice' && level === 'warning');
  assert.equal(
    warnings.map(({ message }) => message),
    [
      'No task of changeset main changed src/a.txt: the comment goes to each of them.',
      'src/one.txt has no line 99 after the change of main.',
    ],
  );
});

test.run();
