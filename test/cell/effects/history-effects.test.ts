import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import { openEffectStage } from './stage.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

// Hidden files lie in git's history, too. Their names are refused, and the git of a cell shows them as binary ones.
const commands =
  'git,git show,git log,git bundle,git archive,git format-patch,git restore,git checkout,git fast-export,git checkout-index,git unpack-file,git read-tree,git merge-file,git whatchanged,git update-index,git worktree,sed,cat,git reset';
const stage = hasBubblewrap()
  ? await openEffectStage({
      commands: commands.split(','),
      policy: { allowed_paths: ['**'], blocked_paths: ['**/.env', 'infra/**', '*.key'], file_locks: [] },
    })
  : null;
const idOf = (name: string): string => stage?.idOf(name) ?? '';
const [env, tree] = [idOf('HEAD:.env'), idOf('HEAD:infra')];

const shown: readonly string[] = [
  ...[`git show ${env}`, `git show ${env.slice(0, 8)}`, `git cat-file -p ${env}`, `git cat-file blob ${env}`],
  ...[`git show ${idOf('came:infra/main.tf')}`, `git show ${idOf('came:infra/gone.tf')}`],
  ...[`git show ${tree}:main.tf`, `git cat-file -p ${tree}:main.tf`, `git restore --source=${tree} main.tf`],
  ...[
    `git checkout ${tree} -- main.tf`,
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
  ...['git show came --format=%b', 'git show came --stat -p', 'git show came src/a.ts .', 'git show came -- infra/..'],
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
  ...['git diff side~1 HEAD -- .', 'git diff -R before', 'git diff --merge-base before', 'git diff side side~1'],
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
    'git archive HEAD infra',
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
  ...['git checkout came && git show', 'git reset -q came && git show HEAD', 'git diff $(git merge-base came before)'],
  ...[
    'git rev-list --all | head -3 | xargs -n1 git show',
    "git log -p --pretty=format:'%h' -10",
    'git log -m -p --all',
  ],
];
const daily: readonly string[] = [
  ...[
    'git log',
    'git log --oneline -20',
    'git log --stat',
    'git log -3 -p',
    'git log -p -2 -- src',
    'git log -p src/a.ts',
  ],
  ...["git log -p -- . ':(exclude).env' ':(exclude)infra'", 'git log --follow -p src/a.ts', 'git log -L 1,1:src/a.ts'],
  ...[
    'git log --name-only',
    'git log --name-status --all',
    'git log --graph --oneline --all',
    'git log -S TOKEN --oneline',
  ],
  ...['git log HEAD~3..HEAD -p', 'git log -p HEAD~2 --not came', 'git log --all --format=%H', 'git log -1 -p HEAD'],
  ...[
    'git show',
    'git show HEAD',
    'git show HEAD~2 --stat',
    'git show came --stat',
    'git show came --name-only',
    'git show -s came',
  ],
  ...['git show before', 'git show HEAD:src/a.ts', 'git show came:src/a.ts'],
  ...[
    `git show ${idOf('HEAD:src')}`,
    `git cat-file -p ${tree}`,
    `git cat-file -t ${env}`,
    'git cat-file -p HEAD',
    'git show HEAD^{tree}',
  ],
  ...['git show stash@{0}', 'git stash show -p', 'git stash list', 'git reflog -5'],
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
    "git diff before HEAD -- . ':!.env' ':!infra'",
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

inCell('WAT-10: what git remembers of a hidden file is not told, by any command of its own', async () => {
  const effects: string[] = [];
  for (const line of shown) {
    const effect = (await stage?.type(line)) ?? 'no cell';
    if (effect !== 'refused' && effect !== 'none') effects.push(`${line}: ${effect}`);
  }
  assert.equal(effects, []);
});

inCell('WAT-4: daily work with git stays allowed beside hidden files in history', () => {
  assert.equal(
    daily.filter((line) => stage?.allows(line) !== true),
    [],
  );
});

test.after(() => stage?.close());
test.run();
