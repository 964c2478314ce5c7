import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId, parseRefName } from '../../../lib/domain/ids.ts';
import { finishKilledRefChanges } from '../../../lib/git/refs/finish-killed-ref-changes.ts';
import { parseUpdateRefRefusal, RefTransactions } from '../../../lib/git/refs/ref-transaction.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

const a = parseRefName('refs/x/a');
const b = parseRefName('refs/x/b');
const main = parseRefName('refs/heads/main');
const other = parseObjectId('1'.repeat(40));

test('moves all refs or none, and goes on after a refusal', async () => {
  const repo = makeRepo();
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const refs = open(repo);
  assert.equal(await refs.run([{ ref: a, old: null, new: head }]), { kind: 'done' });
  assert.equal(
    await refs.run([
      { ref: b, old: null, new: head },
      { ref: a, old: null, new: head },
    ]),
    { kind: 'moved', ref: a },
  );
  assert.is(repo.git('for-each-ref', '--format=%(refname)', 'refs/x'), a);
  assert.equal(
    await refs.run([
      { ref: main, old: other },
      { ref: b, old: null, new: head },
    ]),
    { kind: 'moved', ref: main },
  );
  assert.equal(await refs.run([{ ref: b, old: head, new: null }]), { kind: 'moved', ref: b });
  assert.equal(
    await refs.run([
      { ref: main, old: head },
      { ref: a, old: head, new: null },
      { ref: b, old: null, new: head },
    ]),
    { kind: 'done' },
  );
  assert.is(repo.git('for-each-ref', '--format=%(refname)', 'refs/x'), b);
  await refs.close();
});

test('what git refuses after some refs have moved, as on a full disk, the next start finishes', async () => {
  const repo = makeRepo();
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const next = parseObjectId(repo.git('commit-tree', '-m', 'next', '-p', head, `${head}^{tree}`));
  const log = join(repo.path, '.git/logs', main);
  renameSync(log, `${log}.kept`);
  mkdirSync(join(log, 'in-the-way'), { recursive: true });
  writeFileSync(join(log, 'in-the-way/file'), '');
  const refs = open(repo);
  const moves = [
    { ref: a, old: null, new: next },
    { ref: main, old: head, new: next },
  ];
  const error = await refs.run(moves).then(String, String);
  await refs.close();
  assert.match(error, /logs\/refs\/heads\/main/);
  assert.equal([repo.git('rev-parse', a), repo.git('rev-parse', main)], [next, head]);
  const folder = join(repo.path, '.git/blueflame/locks');
  const [note = ''] = readdirSync(folder).map((name) => join(folder, name));
  const noted = JSON.parse(readFileSync(note, 'utf8'));
  writeFileSync(note, JSON.stringify({ ...noted, owner: { ...noted.owner, start: '1' } }));
  rmSync(log, { recursive: true });
  renameSync(`${log}.kept`, log);
  assert.equal(await finishKilledRefChanges({ cwd: repo.path, env: repo.env }, join(repo.path, '.git')), [main]);
  assert.is(repo.git('rev-parse', main), next);
});

test('calls at the same time are one transaction after the other', async () => {
  const repo = makeRepo();
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const refs = open(repo);
  const outcomes = await Promise.all([
    refs.run([{ ref: a, old: null, new: head }]),
    refs.run([{ ref: a, old: null, new: head }]),
    refs.run([{ ref: a, old: head, new: null }]),
  ]);
  await refs.close();
  assert.equal(
    outcomes.map(({ kind }) => kind),
    ['done', 'moved', 'done'],
  );
});

test('a lock in the way is told with its file', async () => {
  const repo = makeRepo();
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const file = join(repo.path, '.git/refs/heads/main.lock');
  writeFileSync(file, '');
  const refs = open(repo);
  assert.equal(await refs.run([{ ref: main, old: head }]), { kind: 'locked', ref: main, file });
  await refs.close();
});

test('what git refuses otherwise is told in its words', async () => {
  const repo = makeRepo();
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const refs = open(repo);
  const below = parseRefName('refs/heads/main/below');
  const outcome = await refs.run([{ ref: below, old: null, new: head }]);
  const absent = await refs.run([{ ref: a, old: null, new: other }]);
  await refs.close();
  assert.match(outcome.kind === 'refused' ? outcome.message : '', /'refs\/heads\/main' exists/);
  assert.match(absent.kind === 'refused' ? absent.message : '', /nonexistent object/);
});

test('silence is no answer', () => {
  assert.is(parseUpdateRefRefusal('').kind, 'unknown');
  assert.is(parseUpdateRefRefusal('warning: something\n').kind, 'unknown');
  assert.equal(parseUpdateRefRefusal("fatal: cannot lock ref 'refs/x/a': reference already exists\n"), {
    kind: 'moved',
    ref: 'refs/x/a',
  });
});

function open(repo: TestRepo): RefTransactions {
  return new RefTransactions({
    context: { cwd: repo.path, env: repo.env },
    gitDir: join(repo.path, '.git'),
    objectFormat: 'sha1',
    reason: 'test',
  });
}

test.run();
