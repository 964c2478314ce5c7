import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame } from '../support/flame.ts';
import { prepared, type TestRepo } from '../support/repo.ts';

// Two groups; b is built on a. Both began when main held a commit that was taken off since.
const tasks = [
  { id: 'a', script: 'echo a > a.txt', locks: ['a.txt'], group: 'one' },
  { id: 'b', script: 'cat a.txt > b.txt; echo b >> b.txt', locks: ['b.txt'], group: 'two', needs: ['a'] },
];

function step(repo: TestRepo, argv: readonly string[]): Promise<FlameRun> {
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: Array(6).fill('approve'),
    session: ['continue', 'continue'],
  });
  return flame(repo, [...argv, '--decisions-file', decisions]);
}

const plan = (repo: TestRepo): readonly string[] => ['plan', 'Go', '--from', writePlan(repo, tasks)];
const steps = ['work', 'validate', 'merge', 'review'] as const;

/** A session that has come as far as before this step; main holds a commit that will be taken off. */
const cameTo = prepared(async (index: number): Promise<TestRepo> => {
  const before = steps[index - 1];
  if (before !== undefined) {
    const repo = await cameTo(index - 1);
    assert.is((await step(repo, [before])).code, 0);
    return repo;
  }
  const repo = makeExecProject();
  repo.write('leaked.txt', 'key\n');
  repo.commit('oops leaked');
  assert.is((await step(repo, plan(repo))).code, 0);
  return repo;
});

const moves: Readonly<Record<string, (repo: TestRepo) => void>> = {
  commit: (repo) => {
    repo.write('mine.txt', 'mine\n');
    repo.commit('mine');
  },
  amend: (repo) => {
    repo.git('rm', '-q', 'leaked.txt');
    repo.git('commit', '-q', '--amend', '-m', 'nothing leaked', '--allow-empty');
  },
  rewind: (repo) => repo.git('reset', '-q', '--hard', 'HEAD~1'),
  rebase: (repo) => {
    repo.git('switch', '-q', '-c', 'other', 'HEAD~1');
    repo.write('mine.txt', 'mine\n');
    repo.commit('mine');
    repo.git('switch', '-q', 'main');
    repo.git('rm', '-q', 'leaked.txt');
    repo.git('commit', '-q', '--amend', '--allow-empty', '-m', 'rebased');
    repo.git('rebase', '-q', '--empty=keep', 'other');
  },
  'branch made again': (repo) => {
    repo.git('switch', '-q', '-c', 'other', 'HEAD~1');
    repo.git('branch', '-q', '-D', 'main');
    repo.git('switch', '-q', '-c', 'main');
  },
  'checkout elsewhere': (repo) => repo.git('switch', '-q', '-c', 'elsewhere'),
};

for (const [index, before] of steps.entries()) {
  for (const [name, move] of Object.entries(moves)) {
    test(`MRG-9 a base moved by ${name} before ${before}: what was taken off stays off, and no work is lost`, async () => {
      const repo = await cameTo(index);
      const leaked = repo.git('rev-parse', 'main');
      move(repo);
      const own = repo.git('rev-parse', 'main');
      const said: string[] = [];
      let run: FlameRun = { code: 1, stdout: '', stderr: '' };
      for (const argv of [...steps.slice(index).map((name) => [name]), ['run']]) {
        if (/The session has ended/.test(run.stderr)) continue;
        run = await step(repo, argv);
        said.push(run.stderr);
      }
      assert.is(run.code, 0, said.join('\n'));
      assert.is(repo.git('show', 'main:b.txt'), 'a\nb', said.join('\n'));
      assert.is(repo.git('rev-list', '--count', `main..${own}`), '0', 'what the person committed is there');
      const isGone = !['commit', 'checkout elsewhere'].includes(name);
      const history = repo.git('rev-list', 'main').split('\n');
      assert.is(history.includes(leaked), !isGone);
      assert.is(repo.git('ls-tree', '--name-only', 'main').includes('leaked.txt'), !isGone);
      assert.is(repo.git('log', '-p', 'main').includes('+key'), !isGone);
      if (isGone && index > 0 && before !== 'review')
        assert.match(
          said.join('\n'),
          /main was rewound: it lost 1 commit \(\w+ oops leaked\), and landing will not bring it back/,
        );
      assert.is(repo.git('status', '--porcelain'), '');
      repo.git('fsck', '--strict');
    });
  }
}

const ways: readonly (readonly string[])[] = [
  ['branch', '-m', 'main', 'trunk'],
  ['branch', '-D', 'main'],
];

for (const [index, away] of ways.entries()) {
  test(`MRG-9 a base that is gone between two steps (git ${away.join(' ')}) is named with its commit; then all goes on`, async () => {
    const repo = makeExecProject();
    assert.is((await step(repo, plan(repo))).code, 0);
    repo.git('switch', '-q', '--detach');
    const tip = repo.git('rev-parse', 'main');
    for (const name of steps) {
      repo.git(...away);
      const run = await step(repo, [name === 'validate' ? 'run' : name]);
      assert.not.equal(run.code, 0, name);
      assert.match(run.stderr, /main .*(?:does not exist|is not there)/, name);
      assert.match(run.stderr, tip, name);
      assert.is(repo.git('rev-parse', 'HEAD'), tip);
      repo.git(...(index === 0 ? ['branch', '-m', 'trunk', 'main'] : ['branch', 'main', tip]));
      assert.is((await step(repo, [name])).code, 0, name);
    }
    assert.is(repo.git('show', 'main:b.txt'), 'a\nb');
    repo.git('fsck', '--strict');
  });
}

test.run();
