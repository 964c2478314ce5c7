import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { makeRepo } from '../support/repo.ts';

const repo = makeExecProject();

test('WAT-1 a rule is tried by a tool and what it is about, typed as they are', async () => {
  const refused = await flame(repo, ['policy', 'check', 'Write', '.env']);
  assert.is(refused.code, 1);
  assert.match(
    refused.stdout,
    /^blocked by path-hidden, permissions\.hidden_paths \(default\)\n {2}\.env is hidden/,
  );
  const passed = await flame(repo, ['policy', 'check', 'Write', 'src/a.txt']);
  assert.equal([passed.code, passed.stdout], [0, 'allowed\n']);
  const locked = await flame(repo, ['policy', 'check', '--locks', 'docs/', 'Write', 'src/a.txt']);
  assert.match(locked.stdout, /^blocked by path-out-of-scope/);
});

test('WAT-4 words that begin with no tool are a command line', async () => {
  for (const words of [['Bash', 'git status && git push'], ['git status && git push'], ['git', 'push']]) {
    const run = await flame(repo, ['policy', 'check', ...words]);
    assert.is(run.code, 1, words.join(' '));
    assert.match(run.stdout, /^blocked by bash-not-allowed[\s\S]*git push is not an allowed command/);
  }
  assert.is((await flame(repo, ['policy', 'check', 'git', 'status'])).code, 0);
});

test('WAT-4 a program that begins with a capital letter is no tool', async () => {
  for (const words of ['R CMD check', 'Rscript tests.R', 'Xvfb :1']) {
    const run = await flame(repo, ['policy', 'check', words]);
    assert.match(run.stdout, /^blocked by bash-not-allowed/, words);
  }
  const tool = await flame(repo, ['policy', 'check', 'NotebookEdit', 'a.ipynb']);
  assert.match(tool.stdout, /^blocked by tool-/);
});

test('WAT-4 a variable before a command is part of the command line, and no tool', async () => {
  const run = await flame(repo, ['policy', 'check', 'CI=1 git push']);
  assert.is(run.code, 1);
  assert.not.match(run.stdout, 'tool-not-allowed');
  assert.match(run.stdout, /^blocked by bash-not-allowed/);
});

test('--json says the same as one object; without words, lines of JSON are read as before', async () => {
  const { lines } = await flameJson(repo, ['policy', 'check', 'Read', '.env']);
  const [{ decision, rule, source } = {}] = lines;
  assert.equal([decision, rule, source], ['block', 'path-hidden', 'permissions.hidden_paths (default)']);
  const stdin = '{"tool_name":"Read","tool_input":{"file_path":"README.md"}}\nno call\n';
  const read = await flame(repo, ['policy', 'check'], { stdin });
  assert.equal(
    read.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).decision),
    ['allow', 'block'],
  );
  assert.is(read.code, 0);
});

test('CFG-8 every key with its meaning is printed anywhere, and init says how', async () => {
  const { stdout, code } = await flame(repo, ['config', 'example']);
  assert.is(code, 0);
  assert.match(stdout, /\n {2}landing_message: /);
  const fresh = makeRepo();
  await flame(fresh, ['init', '-q']);
  assert.match(readFileSync(join(fresh.path, '.blueflame.yml'), 'utf8'), /git flame config example/);
});

test('CLI-2 init -q writes and says nothing', async () => {
  const fresh = makeRepo();
  const { code, stdout, stderr } = await flame(fresh, ['init', '-q']);
  assert.equal([code, stdout, stderr], [0, '', '']);
});

test('DSK-4 --pr where work lands on the base itself is warned of before anything is planned', async () => {
  const project = makeExecProject();
  const plan = writePlan(project, [{ id: 'one', script: 'echo a > a.txt', locks: ['a.txt'] }]);
  const { stderr } = await flame(project, ['run', 'Go', '--from', plan, '--pr']);
  const [warned, asked] = [/--pr opens no pull request/, /The plan waits for a person/].map((one) =>
    stderr.search(one),
  );
  assert.ok((warned ?? -1) >= 0 && (warned ?? 0) < (asked ?? -1), stderr);
});

test.run();
