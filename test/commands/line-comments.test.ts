import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { main } from '../../lib/cli/main.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { makeFakeIo } from '../support/fake-io.ts';
import { flame, flameJson } from '../support/flame.ts';

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
          { path: 'src/one.txt', line: 2, to: 3, text: 'why both?' },
          { path: 'src/one.txt', line: 2, to: 9, text: 'no such lines' },
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
    {
      ...{ path: 'src/one.txt', side: 'new', line: 2, to: 3, text: 'why both?' },
      excerpt: '  1 | 1\n> 2 | 2\n> 3 | 3',
    },
    { path: 'src/one.txt', side: 'new', line: 2, to: 9, text: 'no such lines' },
  ]);
  assert.equal(commentsOf('two'), [all]);
  const warnings = run.lines.filter(({ event, level }) => event === 'notice' && level === 'warning');
  assert.equal(
    warnings.map(({ message }) => message).filter((message) => !String(message).startsWith('No sandbox: ')),
    [
      'No task of changeset main changed src/a.txt, so all its tasks receive the comment.',
      'src/one.txt has no line 99 after the change of main.',
      'src/one.txt has no line 9 after the change of main.',
    ],
  );
  const shown = (await flame(repo, ['show', 'one'])).stdout;
  assert.match(
    shown,
    /src\/one\.txt:2: why two\?\n +src\/a\.txt:-1: about all\n/,
    'what goes to the next attempt is shown',
  );
  assert.match(shown, /src\/one\.txt:2-3: why both\?/);
});

test('DSK-2: comments of an approval stay with the changeset and with what landed', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: "printf '1\\n2\\n' > src/one.txt", locks: ['src/one.txt'] }]);
  const comments = [{ path: 'src/one.txt', line: 2, text: 'name it better next time' }];
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: [{ approve: comments }] });
  const run = await flameJson(repo, ['run', 'Remark', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0);
  const kept = { ...comments[0], side: 'new', excerpt: '  1 | 1\n> 2 | 2' };
  const landed = repo.git('rev-parse', 'main');
  const place = `${landed.slice(0, 2)}/${landed.slice(2)}`;
  const note = JSON.parse(repo.git('show', `refs/blueflame/reviews:${place}`));
  assert.equal(note.comments, [kept]);
  const log = await flame(repo, ['log']);
  assert.match(log.stdout, 'comments on the approved main left for later tasks on src/one.txt');
  const shown = await flame(repo, ['show', '1-main']);
  assert.match(shown.stdout, 'src/one.txt:2: name it better next time');
});

test('DSK-2: lines that a person edits at the terminal are a commit of theirs, checked and shown again before it lands', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: "printf '# one\\ntwo\\n' > src/one.md", locks: ['src/one.md'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['run', 'Edit', '--from', plan, '--decisions-file', decisions])).code, 2);
  const env = { ...repo.env, TERM: 'dumb', GIT_EDITOR: "sed -i 's/one/eins/'" };
  const input = 'e\nsrc/one.md:1\na\na\n';
  const fake = makeFakeIo({ isTTY: true, cwd: repo.path, env, input });
  assert.is(await main(['run'], fake.io), 0, fake.stderr());
  assert.match(fake.stderr(), /-# one\n\+# eins\n/);
  assert.is(repo.git('show', 'main:src/one.md'), '# eins\ntwo');
  const [landed] = repo.git('log', '--no-merges', '--format=%s', 'main', '--', 'src/one.md').split('\n');
  assert.is(landed, 'Apply a suggestion to src/one.md');
});

test('DSK-2: comments typed before lines are edited go along with what is built again, by the lines they are on', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: "printf '# one\\ntwo\\n' > src/one.md", locks: ['src/one.md'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['run', 'Edit', '--from', plan, '--decisions-file', decisions])).code, 2);
  const env = { ...repo.env, TERM: 'dumb', GIT_EDITOR: "sed -i '1a more'" };
  const input = 'c\nsrc/one.md:2 why two?\ne\nsrc/one.md:1\na\na\n';
  const fake = makeFakeIo({ isTTY: true, cwd: repo.path, env, input });
  assert.is(await main(['run'], fake.io), 0, fake.stderr());
  assert.is(repo.git('show', 'main:src/one.md'), '# one\nmore\ntwo');
  assert.match(fake.stderr(), /These comments are sent when you approve or reject:\n +src\/one\.md:3: why two\?\n/);
  const shown = await flame(repo, ['show', '1-main']);
  assert.match(shown.stdout, 'src/one.md:3: why two?');
});

test.run();
