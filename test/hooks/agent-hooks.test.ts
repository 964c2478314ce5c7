import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentPolicy } from '../../lib/domain/agent-policy.ts';
import { agentPolicy, type CellFixture, openCellFixture } from '../cell/fixture.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');
const rules: Partial<AgentPolicy> = {
  file_locks: ['src/**'],
  commit_pattern: '^(feat|fix): ',
  commit_example: 'feat: add it',
};

inCell('HKS-2: a commit in scope with a good message is made, others are refused with the reason', async () => {
  const fixture = await openCellFixture();
  const { lines, audit } = await runAgent(fixture, [
    'mkdir -p src docs; echo 1 > src/in.txt; echo 1 > docs/out.txt',
    'git add src; git commit -qm "no format" 2>&1; echo "message $?"',
    'git commit -qm "feat: in scope" 2>&1; echo "good $?"',
    'git add docs; git commit -qm "feat: out of scope" 2>&1; echo "scope $?"',
    'git reset -q; git rm -q README.md; git commit -qm "feat: away" 2>&1; echo "deletion $?"',
    'git log --format=%s',
  ]);
  const text = lines.join('\n');
  assert.match(text, /"no format" does not match .* For example: feat: add it \[commit-message\]\nmessage 1/);
  assert.match(text, /good 0\n/);
  assert.match(text, /docs\/out\.txt is not in the locks .* \[path-out-of-scope\]\nscope 1/);
  assert.match(text, /README\.md is not in the locks .*\ndeletion 1/);
  assert.equal(lines.slice(-2), ['feat: in scope', 'initial commit']);
  assert.equal(
    audit.map(({ tool, decision, target }) => [tool, decision, target.trim()]),
    [
      ['git pre-commit', 'allow', 'src/in.txt'],
      ['git commit-msg', 'block', 'no format'],
      ['git pre-commit', 'allow', 'src/in.txt'],
      ['git commit-msg', 'allow', 'feat: in scope'],
      ['git pre-commit', 'block', 'docs/out.txt'],
      ['git pre-commit', 'block', 'README.md'],
    ],
  );
});

inCell('HKS-2: branches, tags and the stash of an agent are its own; hooks judge what it commits there', async () => {
  const fixture = await openCellFixture();
  const { repo } = fixture;
  const before = repo.git('for-each-ref');
  const { lines } = await runAgent(fixture, [
    'mkdir -p src; echo 1 > src/in.txt; git add src; git stash -q 2>&1; git stash pop -q 2>&1; echo "stash $?"',
    'git switch -q -c mine 2>&1; git commit -qm "no format" 2>&1; echo "message $?"',
    'git commit -qm "feat: on a branch" 2>&1; git tag v9; git branch other; git branch -D other 2>&1',
    'git update-ref refs/heads/main HEAD; git rebase -q main 2>&1; echo "rebase $?"',
    'git for-each-ref --format="%(refname) %(subject)"; git -C "$PWD" log -1 --format=%s main',
  ]);
  const text = lines.join('\n');
  assert.match(text, /^stash 0\n[\s\S]*commit-message\]\nmessage 1\n[\s\S]*rebase 0\n/);
  assert.match(text, /refs\/heads\/main feat: on a branch\nrefs\/heads\/mine feat: on a branch\n/);
  assert.not.match(text, /refs\/blueflame|packed-refs/);
  assert.is(repo.git('for-each-ref'), before);
});

inCell('HKS-2: an agent pushes nothing', async () => {
  const fixture = await openCellFixture();
  const { lines } = await runAgent(fixture, [
    `git push ${fixture.repo.path} HEAD:refs/heads/stolen 2>&1; echo "push $?"`,
  ]);
  assert.match(lines.join('\n'), /Nothing is pushed from here.*\n(?:.*\n)*push 1/);
});

for (const name of ['repo', 'with blank', "with'apostrophe", 'a[b]*?', 'ünï:colon']) {
  inCell(`HKS-2: whatever hooks the person has, in a folder called ${name}`, async () => {
    const fixture = await openCellFixture({ name });
    const { repo } = fixture;
    const husky = join(repo.path, '.husky', '_');
    mkdirSync(husky, { recursive: true });
    for (const folder of [husky, join(repo.path, '.git', 'hooks')]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'pre-commit'), '#!/bin/sh\necho the hook of the person; exit 1\n');
      chmodSync(join(folder, 'pre-commit'), 0o755);
    }
    repo.git('config', 'core.hooksPath', husky);
    const { lines } = await runAgent(fixture, [
      'echo 1 > src/in.txt; git add src; git commit -qm "no format" 2>&1; echo "ours $?"',
      // A repository a project's own tests make has nothing to do with the agent's hooks.
      'unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES',
      'git init -q "$TMPDIR/other"; cd "$TMPDIR/other"; git commit -q --allow-empty -m anything; echo "other $?"',
    ]);
    const text = lines.join('\n');
    assert.match(text, /does not match/);
    assert.match(text, /ours 1\nother 0$/);
    assert.not.match(text, /hook of the person/);
  });
}

inCell('HKS-2: without an answer nothing is committed', async () => {
  const fixture = await openCellFixture();
  const { lines } = await runAgent(fixture, [
    'hook=$(git rev-parse --git-path hooks/commit-msg)',
    'sed "s/judge.sock/gone.sock/" "$hook" > hook; echo "feat: x" > message',
    'sh ./hook message 2>&1; echo "gone $?"',
    // What puts the hooks in force can't be changed from inside.
    'echo > "$hook" || echo "hook kept"; git config core.hooksPath /dev/null || echo "config kept"',
  ]);
  const text = lines.join('\n');
  assert.match(text, /did not answer .*\ngone 2/);
  assert.match(text, /hook kept\n(?:.*\n)*config kept/);
});

async function runAgent(
  { runner, request, repo, cell }: CellFixture,
  script: readonly string[],
): Promise<{
  readonly lines: readonly string[];
  readonly audit: readonly { readonly tool: string; readonly decision: string; readonly target: string }[];
}> {
  const wanted = request({ prompt: script.join('\n') });
  const policy = { ...agentPolicy(wanted.id, cell.path), ...rules };
  const agent = await runner.start({ ...wanted, policy }, () => undefined);
  const { text } = await agent.outcome;
  const log = join(repo.path, '.git/blueflame/logs', `${wanted.id}.audit.jsonl`);
  const audit = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { lines: text.split('\n'), audit };
}

test.run();
