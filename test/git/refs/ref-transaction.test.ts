import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId, parseRefName } from '../../../lib/domain/ids.ts';
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
