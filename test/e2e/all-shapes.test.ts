import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { makeRepo, makeTempDir, type TestRepo } from '../support/repo.ts';

/** Everything at once that real repositories have: what agents do must leave all of it as it was. */
function makeEverything(): TestRepo {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  repo.git('init', '-q', '--separate-git-dir', join(makeTempDir('flame-apart'), 'git'), '.');
  const library = makeRepo({ name: 'basic' });
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.path, 'lib/basic');
  for (const key of ['clean', 'smudge']) repo.git('config', `filter.rot.${key}`, 'tr a-z n-za-m');
  repo.git('config', 'filter.rot.required', 'true');
  repo.write('.gitattributes', '*.bin filter=rot -text\n');
  repo.write('in/big.bin', 'stored elsewhere\n');
  repo.write('in/own.conf', 'theirs\n');
  repo.write('lib/own.txt', 'beside the submodule\n');
  writeFileSync(Buffer.from(`${repo.path}/in-latin\xe9.txt`, 'latin1'), 'odd\n');
  for (let n = 0; n < 3_000; n += 1) repo.write(`${n % 2 === 0 ? 'in' : 'out'}/f${n % 50}/${n}.txt`, `${n}\n`);
  repo.commit('everything');
  for (const key of ['core.autocrlf', 'core.safecrlf', 'core.untrackedCache', 'core.splitIndex'])
    repo.git('config', key, 'true');
  repo.git('sparse-checkout', 'set', '--cone', 'in', 'lib');
  repo.write('in/f0/mine.txt', 'not in git\r\n');
  repo.git('stash', 'push', '-q', '--include-untracked');
  repo.git('update-index', '--assume-unchanged', 'in/own.conf');
  repo.write('in/own.conf', 'mine\n');
  repo.git('worktree', 'add', '-q', '-b', 'beside', linkedTree(repo));
  writeFileSync(join(linkedTree(repo), 'in/note.txt'), 'not committed\n');
  return repo;
}

function linkedTree(repo: TestRepo): string {
  return join(dirname(repo.path), 'linked');
}

function health(repo: TestRepo): readonly string[] {
  return [
    repo.git('fsck', '--strict', '--no-dangling'),
    repo.git('status', '--porcelain'),
    repo.git('stash', 'list'),
    repo.git('ls-files', '-v', 'in/own.conf'),
    readFileSync(join(repo.path, 'in/own.conf'), 'utf8'),
    repo.git('-C', linkedTree(repo), 'status', '--porcelain', '--branch'),
    repo.git('rev-parse', 'beside'),
  ];
}

test('MRG-5 a cycle over a repository with everything at once changes what was approved and nothing else', async () => {
  const repo = makeEverything();
  await flame(repo, ['trust', '--yes']);
  const before = health(repo);
  const start = repo.git('rev-parse', 'main');
  const tasks = [
    {
      id: 'a',
      script: "printf 'a\\n' > in/f0/0.txt; echo n > in/new.txt",
      locks: ['in/f0/*', 'in/new.txt'],
      group: 'a',
    },
    { id: 'b', script: 'echo b > out/f1/1.txt; rm out/f1/51.txt', locks: ['out/f1/**'], group: 'b' },
    { id: 'c', script: 'echo c >> in/big.bin', locks: ['in/big.bin'], group: 'c' },
    { id: 'd', script: 'echo d > lib/basic/d', locks: ['lib/**'], group: 'd' },
  ];
  // Its own .git is a file.
  const aside = makeRepo({ name: 'aside' });
  const decisions = writeDecisions(aside, {
    plan: ['approve'],
    changesets: ['approve', 'approve'],
    session: ['stop'],
  });
  const run = await flame(repo, [
    'run',
    'Go',
    '--from',
    join(aside.path, writePlan(aside, tasks)),
    '--decisions-file',
    join(aside.path, decisions),
  ]);
  assert.match(run.stderr, /can't be accepted[\s\S]*|through the filter/);
  assert.equal(
    repo.git('diff', '--name-only', start, 'main').split('\n'),
    ['in/f0/0.txt', 'in/new.txt', 'out/f1/1.txt', 'out/f1/51.txt'],
    run.stderr,
  );
  assert.equal(health(repo), before);
  assert.is(existsSync(join(repo.path, 'out')), false);
  repo.git('stash', 'pop', '-q');
});

test.run();
