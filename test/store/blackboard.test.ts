import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changeBlackboardPage } from '../../lib/core/blackboard/change-blackboard-page.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { parseTaskId } from '../../lib/domain/ids.ts';
import type { Store } from '../../lib/domain/ports/store-port.ts';
import { type BlackboardNote, blackboardNoteLimits, makeBlackboardNote } from '../../lib/domain/state/blackboard.ts';
import { shortId } from '../../lib/util/short-names.ts';
import { makeRepo } from '../support/repo.ts';
import { editByHand } from '../support/state-by-hand.ts';
import { closeTestStores, createTasks, openTestStore, sampleSession, sampleSessionId, sampleTask } from './sample.ts';
import { inStore, makeClones, stateOf, sync } from './sync-clones.ts';

const person = 'Lea Lead <lea@example.com>';
const ref = 'refs/blueflame/blackboard';

function note(text: string, minute = 1): BlackboardNote {
  const at = `2026-03-01T08:${String(minute).padStart(2, '0')}:00.000Z`;
  return makeBlackboardNote({ text, by: person, at, place: 'here', tasks: [], paths: [] });
}

async function leave(
  store: Store,
  change: {
    readonly add?: readonly BlackboardNote[];
    readonly drop?: readonly BlackboardNote[];
    readonly task?: string;
  },
): Promise<void> {
  const task = change.task === undefined ? null : parseTaskId(change.task);
  await store.transact((snapshot) => ({
    actor: person,
    changes: [
      {
        subject: 'note: left by Lea Lead',
        page: changeBlackboardPage({ id: sampleSessionId }, snapshot.blackboardOf(sampleSessionId), {
          ...{ add: [], drop: [], ...change },
          task,
        }),
      },
    ],
  }));
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => (error instanceof FlameError ? error.code : error));
}

async function textsIn(store: Store): Promise<readonly string[]> {
  const pages = (await store.snapshot()).blackboardOf(sampleSessionId);
  return pages.flatMap(({ task, notes }) => notes.map(({ text }) => `${task ?? 'all'}: ${text}`));
}

test('QUE-3 two writers at once lose nothing, and git log tells who left what', async () => {
  const repo = makeRepo();
  const [a, b] = [await openTestStore(repo), await openTestStore(repo)];
  await createTasks(a, [sampleTask('task-001')]);
  await Promise.all(Array.from({ length: 20 }, (_, at) => leave(at % 2 === 0 ? a : b, { add: [note(`n${at}`)] })));
  await leave(a, { task: 'task-001', add: [note('of a worker')] });
  assert.is((await textsIn(b)).length, 21);
  assert.equal((await b.snapshot()).problems, []);
  assert.is(repo.git('log', '--format=%s', ref).split('\n').length, 21);
  const trailers = repo.git('log', '-1', '--format=%(trailers:key=Task,key=Session,key=Actor,valueonly)', ref);
  assert.equal(trailers.split('\n').filter(Boolean), ['task-001', sampleSessionId, person]);
  const looked = await (await openTestStore(repo)).readOneSession(() => sampleSessionId);
  assert.is(looked.blackboardOf(sampleSessionId).length, 2);
  assert.ok((await a.log({ task: 'task-001' })).some(({ subject }) => subject.startsWith('note: left')));
  repo.git('fsck', '--strict');
});

test('QUE-3 UNI-6 what two clones leave and take away at once is one, with the same bytes in each', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a, b, c] = clones;
  const common = note('common');
  await inStore(a, (store) => leave(store, { add: [common] }));
  for (const repo of [a, b, c]) await sync(repo);
  await inStore(a, (store) => leave(store, { add: [note('from a', 2)] }));
  await inStore(b, (store) => leave(store, { add: [note('from b', 3)], drop: [common] }));
  const results = [];
  for (const repo of [a, b, c, a]) results.push(await sync(repo));
  for (const repo of clones) {
    assert.is(stateOf(repo), stateOf(remote));
    assert.equal(await inStore(repo, textsIn), ['all: from a', 'all: from b']);
  }
  const told = results.flatMap(({ changes }) => changes).map(({ what, from, to }) => [what, from, to]);
  assert.ok(told.some(([, from, to]) => from === null && to === `${person}: from a`));
  assert.ok(told.some(([what, from, to]) => what === `note ${shortId(common.id)}` && from !== null && to === null));
});

test('QUE-3 a merge keeps no more than there may be, the newest, and names the rest', async () => {
  const { clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  const many = (name: string, minute: number): readonly BlackboardNote[] =>
    Array.from({ length: 40 }, (_, at) => note(`${name}${at}`, minute));
  await inStore(a, (store) => leave(store, { add: many('old', 1) }));
  await inStore(b, (store) => leave(store, { add: many('new', 2) }));
  await sync(a);
  const { conflicts } = await sync(b);
  const texts = await inStore(b, textsIn);
  assert.is(texts.length, blackboardNoteLimits.ofSession);
  assert.is(texts.filter((text) => text.startsWith('all: new')).length, 40);
  assert.is(conflicts.filter(({ what }) => what.startsWith('note ')).length, 16);
});

test('QUE-3 CLN-3 notes go to the archive with their session, in each clone', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  await inStore(a, (store) => leave(store, { add: [note('kept')] }));
  await inStore(a, (store) => leave(store, { task: 'task-001', add: [note('of a worker')] }));
  for (const repo of [a, b]) await sync(repo);
  await inStore(a, (store) => store.moveToArchive(() => [sampleSessionId], person));
  for (const repo of [a, b]) await sync(repo);
  for (const repo of [a, b]) {
    assert.is(stateOf(repo), stateOf(remote));
    await inStore(repo, async (store) => {
      assert.equal(await textsIn(store), []);
      assert.equal((await store.snapshot()).problems, []);
      const pages = (await store.archive()).blackboardOf(sampleSessionId);
      assert.equal(
        pages.map(({ task, notes }) => [task, notes.length]),
        [
          [null, 1],
          ['task-001', 1],
        ],
      );
    });
    assert.is(repo.git('ls-tree', ref), '', 'nothing of it is left beside the archive');
  }
});

test('QUE-3 STA-7 a page that cannot be read is named, stops no command, and is not written over', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await store.transact(() => ({ actor: person, changes: [{ subject: 's', session: sampleSession() }] }));
  await leave(store, { add: [note('fine')] });
  const key = repo.git('rev-parse', `${ref}:anchors/${sampleSessionId}/session`);
  const path = `${key.slice(0, 2)}/${key.slice(2)}`;
  const text = repo.git('show', `${ref}:${path}`);
  for (const bad of [
    'no JSON',
    text.replace('fine', 'a\\u202eb'),
    text.replace('fine', 'x'.repeat(2_000)),
    text.replace('fine', 'other'),
  ]) {
    editByHand(repo, ref, path, bad);
    assert.equal(await textsIn(store), []);
    assert.equal(
      (await store.snapshot()).problems.map((problem) => problem.ref),
      [ref],
    );
    const refused = await codeOf(leave(store, { add: [note('more')] }));
    assert.is(refused, 'state-corrupt');
  }
});

test.after(closeTestStores);
test.run();
