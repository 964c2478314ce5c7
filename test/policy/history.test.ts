import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPathFacts } from '../../lib/cell/watcher/path-facts.ts';
import type { GitQuestion, PathFacts } from '../../lib/domain/policy.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import { decideBash, makePolicy } from './fixtures.ts';

// Whatever the machine does beside.
const patient = { each: 60_000, together: 600_000, regrowth: 1 };

const commands =
  'git,git show,git log,git bundle,git archive,git format-patch,git restore,git checkout,git fast-export,git checkout-index,git unpack-file,git read-tree,git merge-file,git whatchanged,git update-index,git worktree,sed,for,cat,git reset';

interface Stage {
  readonly repo: TestRepo;
  readonly ask: (command: string, cwd?: string) => string;
  readonly details: (command: string) => string;
}

function stageOf(repo: TestRepo, time = patient): Stage {
  const facts = openPathFacts({ workTree: repo.path, env: process.env }, time);
  const policy = makePolicy({
    worktree: repo.path,
    config: {
      permissions: {
        allowed_paths: ['**'],
        hidden_paths: ['**/.env', 'secrets/**', '*.key'],
        bash_rules: { allowed_commands: commands.split(',') },
      },
    },
  });
  const decide = (command: string, cwd = repo.path) => decideBash(policy, command, { facts, cwd });
  return {
    repo,
    ask: (command, cwd) => {
      const { decision, rule, details } = decide(command, cwd);
      return decision === 'allow' ? 'allow' : rule === 'path-hidden' ? 'block' : `${rule}: ${details}`;
    },
    details: (command) => decide(command).details,
  };
}

function put(repo: TestRepo, path: string, text: string): void {
  mkdirSync(join(repo.path, path, '..'), { recursive: true });
  writeFileSync(join(repo.path, path), text);
}

/** Blocked files come, change, go, are merged and stashed, and most commits have nothing to do with them. */
function withSecrets(): TestRepo {
  const repo = makeRepo();
  put(repo, 'src/a.ts', 'one\n');
  repo.commit('plain');
  repo.git('tag', 'before');
  put(repo, '.env', 'TOKEN=first\n');
  put(repo, 'secrets/prod.yml', 'password: second\n');
  put(repo, 'src/empty.ts', '');
  repo.commit('secrets come');
  repo.git('tag', 'came');
  for (let at = 0; at < 4; at += 1) {
    put(repo, 'src/a.ts', `two ${at}\n`);
    repo.commit(`work ${at}`);
  }
  repo.git('checkout', '-q', '-b', 'side', 'came');
  put(repo, 'secrets/old/gone.yml', 'password: third\n');
  repo.commit('side');
  repo.git('rm', '-q', '-r', 'secrets/old');
  repo.commit('side without');
  repo.git('checkout', '-q', 'main');
  put(repo, '.env', 'TOKEN=stashed\n');
  repo.git('stash', '-q');
  put(repo, 'src/a.ts', 'stashed\n');
  repo.git('stash', '-q');
  return repo;
}

const secret = stageOf(withSecrets());
const idOf = (name: string): string => secret.repo.git('rev-parse', name).trim();
const [env, tree] = [idOf('HEAD:.env'), idOf('HEAD:secrets')];
const shown: readonly string[] = [
  ...[`git show ${env}`, `git show ${env.slice(0, 8)}`, `git cat-file -p ${env}`, `git cat-file blob ${env}`],
  ...[`git show ${idOf('came:secrets/prod.yml')}`, `git show ${idOf('side~1:secrets/old/gone.yml')}`],
  ...[
    `git show ${tree}:prod.yml`,
    `git cat-file -p ${tree}:prod.yml`,
    `git restore --source=${tree} prod.yml`,
  ],
  ...[
    `git checkout ${tree} -- prod.yml`,
    `git grep '' ${tree}`,
    `git grep pass ${env}`,
    `git diff ${env} HEAD:src/a.ts`,
  ],
  ...[
    `git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 ${tree}`,
    `git diff-tree -p 4b825dc642cb6eb9a060e54bf8d69288fbee4904 ${tree}`,
  ],
  ...[
    'git log -p',
    'git log --patch',
    'git log -u',
    'git log -U1',
    'git log --all -p',
    'git log -p -- .',
    'git log --unif',
  ],
  ...[
    'git log -p -6',
    'git log --oneline -p before..HEAD',
    'git log -p -S TOKEN',
    'git log --word-diff',
    'git log --cc',
  ],
  ...['git log -p --diff-filter=A', 'git log -g -p', 'git reflog show -p', 'git whatchanged -p'],
  ...['git log -p came^!', 'git log -p --no-walk came', 'git log --all --stat -p', 'git log -p --reverse'],
  ...['git log -p --remerge-diff', 'git log -p --since=10.years', 'git log -p --author x --all -- ".e*" src'],
  ...['git show came', 'git show HEAD~4', 'git show HEAD --all', 'git show before..HEAD'],
  ...[
    'git show came --format=%b',
    'git show came --stat -p',
    'git show came src/a.ts .',
    'git show came -- secrets/..',
  ],
  ...[
    'git show stash@{1}',
    'git stash show -p stash@{1}',
    'git stash show -p 1',
    'git stash list -p',
    'git stash show -p -u',
  ],
  ...[
    'git diff before',
    'git diff before HEAD',
    'git diff before..HEAD',
    'git diff before...side~1',
    'git diff HEAD before',
  ],
  ...[
    'git diff side~1 HEAD -- .',
    'git diff -R before',
    'git diff --merge-base before',
    'git diff side side~1',
  ],
  ...[
    'git diff-tree -p came',
    'git diff-tree --root -p came',
    'git diff-tree -p before HEAD',
    'git diff-index -p before',
  ],
  ...[
    'git range-diff before..came before..side',
    'git range-diff before came side',
    'git format-patch --stdout before',
  ],
  ...[
    'git format-patch --stdout -1 came',
    'git archive HEAD',
    'git archive HEAD secrets',
    "git grep '' HEAD",
    "git grep '' side~1",
  ],
  ...[
    "git grep '' before came",
    'git bundle create x HEAD',
    'git fast-export HEAD',
    'git checkout-index -a --prefix=src/',
  ],
  ...[
    `git unpack-file ${env}`,
    'git read-tree --prefix=src/ HEAD',
    `git update-index --add --cacheinfo 100644,${env},src/x`,
  ],
  ...[
    'for c in $(git rev-list HEAD); do git show $c; done',
    'git rev-list HEAD | xargs git show',
    'git show $(git rev-parse came)',
  ],
  ...[
    'git checkout came && git show',
    'git reset -q came && git show HEAD',
    'git diff $(git merge-base came before)',
  ],
  ...[
    'git rev-list --all | head -3 | xargs -n1 git show',
    "git log -p --pretty=format:'%h' -10",
    'git log -m -p --all',
  ],
];
for (const command of shown)
  test(`WAT-1: a blocked file is not shown by what git remembers: ${command}`, () => {
    assert.is(secret.ask(command), 'block');
  });

const daily: readonly string[] = [
  ...[
    'git log',
    'git log --oneline -20',
    'git log --stat',
    'git log -3 -p',
    'git log -p -2 -- src',
    'git log -p src/a.ts',
  ],
  ...[
    "git log -p -- . ':(exclude).env' ':(exclude)secrets'",
    'git log --follow -p src/a.ts',
    'git log -L 1,1:src/a.ts',
  ],
  ...[
    'git log --name-only',
    'git log --name-status --all',
    'git log --graph --oneline --all',
    'git log -S TOKEN --oneline',
  ],
  ...[
    'git log HEAD~3..HEAD -p',
    'git log -p HEAD~2 --not came',
    'git log --all --format=%H',
    'git log -1 -p HEAD',
  ],
  ...[
    'git show',
    'git show HEAD',
    'git show HEAD~2 --stat',
    'git show came --stat',
    'git show came --name-only',
    'git show -s came',
  ],
  ...[
    'git show before',
    'git show HEAD:src/a.ts',
    'git show came:src/a.ts',
    `git show ${idOf('HEAD:src/a.ts')}`,
  ],
  ...[
    `git show ${idOf('HEAD:src')}`,
    `git cat-file -p ${tree}`,
    `git cat-file -t ${env}`,
    'git cat-file -p HEAD',
    'git show HEAD^{tree}',
  ],
  ...[
    `git show ${idOf('came:src/empty.ts')}`,
    'git show stash@{0}',
    'git stash show -p',
    'git stash list',
    'git reflog -5',
  ],
  ...[
    'git diff',
    'git diff HEAD',
    'git diff --cached',
    'git diff HEAD~2',
    'git diff HEAD~3 HEAD -- src',
    'git diff before --stat',
  ],
  ...[
    'git diff came..HEAD',
    'git diff came...side',
    "git diff before HEAD -- . ':!.env' ':!secrets'",
    'git diff before HEAD -- src',
  ],
  ...[
    'git diff HEAD:src/a.ts HEAD~1:src/a.ts',
    'git diff --name-only before',
    'git diff-tree --name-only -r came',
    'git diff-tree -p HEAD',
  ],
  ...[
    'git show $(git rev-parse HEAD)',
    'git diff $(git merge-base HEAD HEAD~1)',
    'for c in $(git rev-list -3 HEAD); do git show $c; done',
  ],
  ...[
    'git rev-list -2 HEAD | xargs git show',
    'git grep two HEAD',
    "git grep -l '' came",
    "git grep '' HEAD -- src",
    'git grep two',
  ],
  ...[
    'git format-patch --stdout -1',
    'git archive HEAD src',
    'git restore src/a.ts',
    'git restore --source=came src/a.ts',
  ],
  ...[
    'git checkout came -- src/a.ts',
    'git rev-list --objects HEAD',
    'git ls-tree -r HEAD',
    'git ls-files -s',
    'git blame src/a.ts',
  ],
  ...[
    'git show no-such-revision --stat',
    'git status -sb',
    'git worktree list',
    'git shortlog -sn',
    'git show HEAD --word-diff',
  ],
];
for (const command of daily)
  test(`WAT-4: daily work stays allowed beside blocked files in history: ${command}`, () => {
    assert.is(secret.ask(command), 'allow');
  });

test('WAT-9: what is refused names the pathspec that works', () => {
  assert.match(secret.details('git show came'), /git show … -- \. ':\(exclude\)\.env'/);
});

test('WAT-1: a folder below is looked at from there', () => {
  const below = join(secret.repo.path, 'src');
  assert.is(secret.ask('git log -p -- .', below), 'allow');
  assert.is(secret.ask('git log -p', below), 'block');
  assert.is(secret.ask('git show came --relative', below), 'block');
});

test('WAT-1: where blocked files are tracked, what takes too long to be seen is not shown', () => {
  const facts = openPathFacts({ workTree: secret.repo.path, env: process.env }, patient);
  const slow = {
    ...facts,
    git: (question: GitQuestion) => (question.cwd === null ? facts.git(question) : null),
  };
  const policy = makePolicy({
    worktree: secret.repo.path,
    config: { permissions: { hidden_paths: ['**/.env'] } },
  });
  const ask = (one: PathFacts, command: string): string => decideBash(policy, command, { facts: one }).rule;
  assert.equal([ask(slow, 'git show HEAD'), ask(slow, 'git log --oneline')], ['path-hidden', 'allowed']);
  // Not even all history can be walked: what is checked out says whether there are such files.
  const still = (question: GitQuestion): string | null =>
    question.args[0] === 'ls-tree' ? slow.git(question) : null;
  assert.is(ask({ ...slow, git: still }, 'git show HEAD'), 'path-hidden');
  assert.is(ask({ ...slow, git: () => null }, 'git show HEAD'), 'allowed');
});

test('WAT-4: a repository without blocked files feels nothing, whatever is asked', () => {
  const repo = makeRepo();
  put(repo, 'src/a.ts', 'one\n');
  repo.commit('plain');
  const plain = stageOf(repo);
  const skipped = /restore|update-index|prefix|secrets|\.env|bundle|\$\(git merge-base|remerge|\.e\*/;
  for (const command of shown.filter((one) => !skipped.test(one)))
    assert.is(plain.ask(command), 'allow', command);
});

test.run();
