import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import type { Patch } from '../../../lib/domain/state/patch.ts';
import { openGit } from '../../../lib/git/open-git.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

const test = suite('patches as they are looked at');

const lines = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join('');

/** The patch of what `change` does to a commit that `prepare` made. */
async function patchOf(
  { prepare, change }: Record<'prepare' | 'change', (repo: TestRepo) => void>,
  ignoresSpace = false,
): Promise<Patch> {
  const repo = makeRepo();
  const commit = (act: (repo: TestRepo) => void): ReturnType<typeof parseObjectId> => {
    act(repo);
    repo.git('add', '-A');
    repo.git('commit', '-qm', 'change');
    return parseObjectId(repo.git('rev-parse', 'HEAD'));
  };
  const git = await openGit({ cwd: repo.path, env: repo.env });
  try {
    return await git.readPatch(commit(prepare), commit(change), { ignoresSpace });
  } finally {
    await git.close();
    repo.remove();
  }
}

const short = ({ files }: Patch) =>
  files.map(({ path, status, movedFrom, insertions, deletions }) => ({
    path,
    status,
    movedFrom: movedFrom?.path ?? null,
    insertions,
    deletions,
  }));

test('REV-4: a moved file is shown once, with what differs from the old one', async () => {
  const patch = await patchOf({
    prepare: (repo) => {
      repo.write('old.txt', lines(100));
      repo.write('same.txt', lines(50, 'same'));
    },
    change: (repo) => {
      repo.git('mv', 'old.txt', 'a\tb "ü".txt');
      repo.write('a\tb "ü".txt', lines(100).replace('line 7\n', 'line seven\n'));
      repo.git('mv', 'same.txt', 'elsewhere.txt');
      repo.write('new.txt', 'new\n');
    },
  });
  assert.equal(short(patch), [
    { path: 'a\tb "ü".txt', status: 'modified', movedFrom: 'old.txt', insertions: 1, deletions: 1 },
    { path: 'elsewhere.txt', status: 'modified', movedFrom: 'same.txt', insertions: 0, deletions: 0 },
    { path: 'new.txt', status: 'added', movedFrom: null, insertions: 1, deletions: 0 },
  ]);
  assert.is(patch.files[1]?.movedFrom?.similarity, 100);
  assert.equal(
    patch.files[0]?.hunks().flatMap((hunk) => hunk.lines.filter(({ kind }) => kind !== 'context')),
    [
      { kind: 'delete', text: 'line 7', isUnended: false },
      { kind: 'insert', text: 'line seven', isUnended: false },
    ],
  );
});

test('REV-4: a file that was moved and made executable keeps both facts', async () => {
  const patch = await patchOf({
    prepare: (repo) => repo.write('run', lines(10)),
    change: (repo) => {
      repo.git('mv', 'run', 'start');
      repo.git('update-index', '--chmod=+x', 'start');
      repo.git('config', 'core.fileMode', 'false');
    },
  });
  assert.equal(
    patch.files.map(({ oldMode, newMode, movedFrom }) => [oldMode, newMode, movedFrom?.path]),
    [['100644', '100755', 'run']],
  );
});

test('REV-4: white space can be left out, and what differs in nothing else is still named', async () => {
  const change = {
    prepare: (repo: TestRepo) => {
      repo.write('indented.txt', lines(20).replace(/^/gm, '  '));
      repo.write('both.txt', lines(20));
      repo.write('mode.sh', 'x\n');
    },
    change: (repo: TestRepo) => {
      repo.write('indented.txt', lines(20));
      repo.write('both.txt', lines(20).replace('line 3\n', '\tline 3\n').replace('line 9\n', 'nine\n'));
      repo.git('update-index', '--chmod=+x', 'mode.sh');
      repo.git('config', 'core.fileMode', 'false');
      repo.write('empty.txt', '');
      repo.write('bytes.bin', '\0\n \0\n');
    },
  };
  const whole = new Map(short(await patchOf(change)).map((file) => [file.path, file]));
  const without = new Map(short(await patchOf(change, true)).map((file) => [file.path, file]));
  assert.equal([...without.keys()], [...whole.keys()]);
  assert.equal([whole.get('indented.txt')?.insertions, without.get('indented.txt')?.insertions], [20, 0]);
  assert.equal([whole.get('both.txt')?.insertions, without.get('both.txt')?.insertions], [2, 1]);
  assert.is(without.get('mode.sh')?.status, 'mode-changed');
  assert.is(without.get('empty.txt')?.status, 'added');
  assert.is(without.get('bytes.bin')?.insertions, 2);
});

test.run();
