import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flameJson } from '../support/flame.ts';

const token = `ghp_${'aB3dE6gH9jK2'.repeat(3)}`;

const script = [
  'mkdir -p src && echo "export function parse(text) {}" > src/parse.js',
  `echo "import { parse } from './parse.js'" > src/use.js && echo a > src/quiet.js && echo b > src/secret.js`,
  // More than any reader takes.
  'yes "WHY src/no.js: flood" | head -c 10000000',
  'echo',
  `echo 'WHY src/parse.js: it reads \`@everyone\` <b>now</b>'`,
  `echo 'WHY README.md: a lie'`,
  `echo 'WHY src/secret.js: with ${token}'`,
  `printf 'WHY src/use.js: the first caller\\n' > "$FLAME_NOTES"`,
].join('\n');

test('RVW-1 what a worker says of its files is kept with its task and shown as its claim; lies and secrets are not kept', async () => {
  const repo = makeExecProject({ config: { project: { name: 'sample', base_branch: 'main', landing: 'branch' } } });
  const plan = writePlan(repo, [{ id: 'task-001', script, locks: ['src/*'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const { lines } = await flameJson(repo, ['run', 'Read', '--from', plan, '--decisions-file', decisions]);
  const [shown] = (await flameJson(repo, ['show', 'task-001'])).lines as readonly {
    readonly task: Record<string, unknown>;
  }[];
  assert.equal(shown?.task.reasons, [
    { path: 'src/use.js', text: 'the first caller' },
    { path: 'src/parse.js', text: 'it reads `@everyone` <b>now</b>' },
  ]);
  const body = String(lines.findLast((line) => line.event === 'pull-request')?.body);
  const guide = body.slice(body.indexOf('To be read'), body.indexOf('\n\nSession '));
  assert.equal(guide.split('\n'), [
    'To be read in this order:',
    '',
    '1. Subject: src/parse.js',
    '   - `src/parse.js`<br>says the worker of task-001: it reads \\`@<!-- -->everyone\\` \\<b\\>now\\</b\\><br>**look twice:** there are no tests',
    '2. What follows (1 file)',
    '   - `src/use.js`<br>says the worker of task-001: the first caller',
    '3. Also changed (2 files)',
    '   - `src/quiet.js`',
    '   - `src/secret.js`',
  ]);
});

test.run();
