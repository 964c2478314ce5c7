import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { openStage } from './hostile-stage.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

// Each line is tried by itself and must fail; what it says is in the message of a failing test. $G is the
// repository's own git folder: the common folder that an agent's git names is its own.
const refused: Readonly<Record<string, readonly string[]>> = {
  'writes configuration': [
    'git config user.name evil',
    'git config --worktree core.fsmonitor evil',
    'git config core.hooksPath evil',
    'echo evil >> $(git rev-parse --git-common-dir)/config',
    'rm $(git rev-parse --git-common-dir)/config',
    'echo evil >> $G/config',
    'rm $G/config',
  ],
  'plants a hook': [
    'd=$(git rev-parse --git-common-dir)/hooks; echo evil > $d/pre-commit',
    ...['echo evil > $G/hooks/pre-commit', 'echo evil > $G/hooks/post-commit', 'mv $G/hooks $G/hooks.old'],
  ],
  'moves refs of the repository': [
    'GIT_DIR=$G git update-ref refs/heads/main HEAD~0',
    'GIT_DIR=$G git branch evil',
    'git update-ref -d refs/heads/main 0000000000000000000000000000000000000001',
    'git push -q $G HEAD:refs/heads/evil',
    'git rev-parse HEAD > $G/refs/heads/main',
    'git rev-parse HEAD > $G/refs/heads/evil',
    'echo "$(git rev-parse HEAD) refs/heads/evil" >> $G/packed-refs',
    'echo "ref: refs/heads/other" > $G/HEAD',
  ],
  'changes what others have': [
    'rm -rf $(git rev-parse --git-common-dir)/objects/??/',
    'rm -rf $G/objects/??/',
    'git worktree remove --force ../worker-99999999',
    'git worktree prune --expire now; git worktree add ../evil',
    'git gc -q --prune=now',
    'echo evil > $G/info/exclude',
    'echo evil > $G/info/attributes',
    'rm -f $G/../README.md',
    'echo evil > $G/../new.md',
    'git -C $G/.. checkout -q other',
    'git -C $G/.. reset -q --hard other~0 && echo x > $G/../x',
  ],
  'takes .git away': [
    'rm -f .git',
    'mv .git away',
    'echo "gitdir: /tmp" > .git',
    'ln -sf /etc .git',
    'rm -rf .git && mkdir .git',
    'git init -q --separate-git-dir=$TMPDIR/evil .',
  ],
};

for (const [what, lines] of Object.entries(refused)) {
  inCell(`UNI-5 an agent that ${what}: refused, whatever way it takes`, async () => {
    const { attack, repo } = await openStage();
    // The last one succeeds: that it is heard of shows that the others would be.
    const script = [...lines, 'true']
      .map((line, at) => `( ${line} ) >/dev/null 2>&1; rc=$?; [ $rc != 0 ] || echo "line ${at} was not refused"`)
      .join('\n');
    const { outcome, said, handedIn } = await attack(`G='${repo.path}/.git'\n${script}`);
    assert.is(said.trim(), `line ${lines.length} was not refused`, lines.join('\n'));
    assert.is(outcome.exitCode, 0);
    assert.equal(handedIn, []);
  });
}

inCell('UNI-5 an agent that moves refs moves those of its cell, and no other', async () => {
  const { attack, repo } = await openStage();
  const all = (): readonly string[] => [
    repo.git('for-each-ref'),
    repo.git('symbolic-ref', 'HEAD'),
    repo.git('stash', 'list'),
    repo.git('status', '--porcelain'),
  ];
  const before = all();
  const { said, handedIn } = await attack(
    [
      'git branch evil && git tag evil && git branch -f other HEAD && echo made',
      'git update-ref refs/heads/main HEAD; git update-ref -d refs/heads/other',
      'git push -q . HEAD:refs/heads/pushed; git fetch -q . +HEAD:refs/heads/fetched',
      'git notes add -m evil; git replace HEAD HEAD~0; git update-ref refs/blueflame/tasks HEAD',
      'd=$(git rev-parse --git-common-dir); git rev-parse HEAD > $d/refs/heads/main',
      'echo "$(git rev-parse HEAD) refs/heads/packed" >> $d/packed-refs; echo "ref: refs/heads/other" > $d/HEAD',
      'git reflog expire --expire=now --all; git pack-refs --all; true',
    ].join('\n'),
  );
  assert.match(said, /^made$/m);
  assert.equal(handedIn, []);
  assert.equal(all(), before);
});

inCell('UNI-5 an agent that amends, rebases and skips hooks: it changes its own commits alone', async () => {
  const { attack, repo } = await openStage();
  const { said, handedIn, cell } = await attack(
    [
      'echo a > a.txt; git add a.txt; git commit -q --no-verify -m one',
      'echo b > b.txt; git add b.txt; git commit -q --amend --no-verify -m two',
      'git commit -q --amend --no-verify --author "Evil <evil@x>" -m three',
      'git rebase -q --root -x true; git log --format=%s',
    ].join('\n'),
  );
  assert.match(said, /^three\n/);
  assert.equal(handedIn, ['a.txt', 'b.txt']);
  assert.is(repo.git('rev-parse', 'main'), cell.start);
});

inCell('UNI-5 an agent that moves HEAD to a branch: the branch stays, its work is what HEAD names', async () => {
  const { attack, repo } = await openStage();
  const moved = await attack('git symbolic-ref HEAD refs/heads/other; echo x > x.txt; git add x.txt; git commit -qm x');
  assert.is(repo.git('rev-parse', 'other'), repo.git('rev-parse', 'main'));
  assert.equal(moved.handedIn, ['x.txt']);
  const begun = await attack(
    'git symbolic-ref HEAD refs/heads/nowhere; echo y > y.txt; git add y.txt; git commit -qm y',
  );
  assert.equal(begun.handedIn, ['y.txt']);
  assert.throws(() => repo.git('rev-parse', '--verify', '-q', 'refs/heads/nowhere'));
  for (const head of ['garbage', '', 'ref: ../../../etc/passwd', '1111111111111111111111111111111111111111']) {
    const { handedIn } = await attack(`printf %s '${head}' > $(git rev-parse --git-dir)/HEAD; echo x > x.txt`);
    assert.type(handedIn, 'string', head);
  }
});

inCell('UNI-5 an agent that plants objects: what nothing reaches stays out, what lies is refused', async () => {
  const { attack, repo } = await openStage();
  const { said, handedIn } = await attack(
    [
      'secret=$(echo secret | git hash-object -w --stdin); echo "object $secret"',
      'for i in $(seq 200); do echo $i | git hash-object -w --stdin >/dev/null; done',
      'echo junk > $GIT_OBJECT_DIRECTORY/junk; mkdir -p $GIT_OBJECT_DIRECTORY/zz; echo junk > $GIT_OBJECT_DIRECTORY/zz/x',
      'echo x > x.txt; git add x.txt; git commit -qm x',
    ].join('\n'),
  );
  assert.equal(handedIn, ['x.txt']);
  const secret = /object (\w+)/.exec(said)?.[1] ?? '';
  assert.throws(() => repo.git('cat-file', '-e', secret));
  const lying = await attack(
    [
      'echo x > x.txt; git add x.txt; git commit -qm x',
      'o=$(git rev-parse HEAD:x.txt); f=$GIT_OBJECT_DIRECTORY/$(echo $o | sed "s,..,&/,")',
      'chmod +w $f; echo lies > $f',
    ].join('\n'),
  );
  assert.is(lying.handedIn, 'cell-objects-refused');
  const elsewhere = await attack(
    'mkdir -p $GIT_OBJECT_DIRECTORY/info && echo /tmp > $GIT_OBJECT_DIRECTORY/info/alternates; echo x > x.txt; git add x.txt; git commit -qm x',
  );
  assert.ok(['cell-objects-refused', 'x.txt'].includes(String(elsewhere.handedIn)), String(elsewhere.handedIn));
});

inCell("SBX-7 none of the person's programs for git is started in a cell, and no password is seen", async () => {
  const { attack, repo } = await openStage();
  const ran = 'sh -c "touch $HOME/RAN; cat"';
  for (const [key, value] of Object.entries({
    'filter.x.clean': ran,
    'filter.x.smudge': ran,
    'filter.x.required': 'true',
    'merge.x.driver': ran,
    'diff.x.textconv': ran,
    'diff.x.command': ran,
    'diff.external': ran,
    'core.fsmonitor': ran,
    'core.pager': ran,
    'core.editor': ran,
    'core.sshCommand': ran,
    'credential.helper': `!${ran}`,
    'alias.x': `!${ran}`,
    'pager.log': ran,
    'gpg.program': ran,
    'commit.gpgSign': 'true',
    'include.path': '../more.config',
    'remote.origin.url': 'https://lea:pass@example.com/x.git',
    'merge.x.name': 'one "quoted" \\ line\nand another',
  }))
    repo.git('config', key, value);
  const { said, handedIn } = await attack(
    [
      'echo "* filter=x diff=x merge=x" > .gitattributes; echo new > README.md; git add -A; git commit --no-verify -qm mine',
      'git log -p; git diff HEAD~1; git show; git status; git blame README.md; git checkout -q HEAD -- .',
      'git x; git -c core.commentChar=# commit --amend; git fetch; git ls-remote',
      'ls $HOME; git remote get-url origin; git config merge.x.name; git config --list --show-origin',
    ].join('\n'),
  );
  assert.not.match(said, /RAN|pass@|filter\.x/);
  assert.match(said, 'https://example.com/x.git\none "quoted" \\ line\nand another\n');
  assert.equal(handedIn, ['.gitattributes', 'README.md']);
});

test.run();
