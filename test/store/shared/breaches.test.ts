import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { machineRef } from '../../../lib/store/shared/machine-ref.ts';
import { listBreaches } from '../../../lib/store/shared/witness.ts';
import { signCommitText } from '../../../lib/util/commit-signature.ts';
import { publicKeyOf } from '../../../lib/util/machine-key.ts';
import { sampleSessionId } from '../sample.ts';
import { commonDirOf, inStore } from '../sync-clones.ts';
import {
  ada,
  type Bench,
  ben,
  bench,
  brief,
  changing,
  claimed,
  closeMachines,
  done,
  enter,
  eve,
  own,
  push,
  released,
  repoOf,
  type Step,
  seenBy,
  stop,
} from './liars.ts';
import type { Machine } from './machine.ts';

const benRef = machineRef(sampleSessionId, ben);
const tasksRef = 'refs/blueflame/tasks';

test.after.each(closeMachines);

test('DST-1 what machines do by the rules is found sound by each of them, also what another command did beside', async () => {
  const made = await bench();
  await made.ben.store.transact(changing('task-001', claimed(ben)));
  await made.ada.store.transact(changing('task-002', claimed(ada), released, claimed(ada), done));
  await inStore(repoOf(made, ben), (store) =>
    store.transact(changing('task-002', (task) => ({ ...task, title: 'Named by hand' }))),
  );
  await made.ben.store.transact(changing('task-001', done));
  for (const machine of [made.ada, made.ben, made.ada]) assert.equal(await seenBy(machine), []);
});

const lies: readonly (readonly [string, readonly Step[], readonly unknown[]])[] = [
  ['a claim number that is too high', [claimed(eve, { claim: 7 })], ['claim', eve]],
  ['a claim in the name of another machine', [claimed(ben)], ['claim', ben]],
  [
    'a task that is done under no claim',
    [(task) => ({ ...done(claimed(eve)(task)), claim: undefined }) as never],
    ['result', null],
  ],
];
for (const [what, steps, [kind, machine]] of lies)
  test(`DST-1 TRU-2 every machine names ${what}, and who signed it`, async () => {
    const made = await bench();
    const other = await enter(made.evil, eve);
    for (const one of [made.ada, made.ben]) await one.sharing.look();
    await stop(other);
    await push(made, changing('task-001', ...steps), own(eve));
    for (const one of [made.ada, made.ben])
      assert.equal(brief(await seenBy(one)).slice(0, 1), [
        [kind, 'task-001', machine, eve, publicKeyOf(own(eve))],
      ]);
  });

test('DST-1 TRU-2 a result under the claim of another machine is named, unsigned too, and kept when the remote forgets it', async () => {
  const made = await bench();
  await made.ben.store.transact(changing('task-001', claimed(ben)));
  await made.ada.sharing.look();
  const before = made.remote.git('rev-parse', tasksRef);
  await push(made, changing('task-001', done));
  const lie = made.remote.git('rev-parse', tasksRef);
  assert.equal(brief(await seenBy(made.ada)), [['result', 'task-001', ben, null, null]]);
  assert.equal(brief(await seenBy(made.ben)), [['result', 'task-001', ben, null, null]]);
  await stop(made.ada);
  await stop(made.ben);
  made.remote.git('update-ref', tasksRef, before);
  const repo = repoOf(made, ada);
  const place = { context: { cwd: repo.path, env: repo.env }, commonDir: commonDirOf(repo) };
  const [kept, ...more] = await listBreaches(place, { remote: 'origin', session: sampleSessionId });
  assert.equal([kept?.commit, kept?.kind, more.length], [lie, 'result', 0]);
  const evidence = repo.git(
    'for-each-ref',
    '--format=%(refname)',
    `--contains=${lie}`,
    'refs/blueflame-witness/',
  );
  assert.match(evidence, /breaches/);
});

test('DST-1 what was done while a machine was off is judged when it is back', async () => {
  const made = await bench();
  await stop(made.ada);
  await push(made, changing('task-001', claimed(ben)));
  const again = await enter(repoOf(made, ada), ada);
  assert.equal(brief(again.sharing.breaches().map(({ breach }) => breach)), [
    ['claim', 'task-001', ben, null, null],
  ]);
  again.sharing.heeded(1);
  await again.sharing.look();
  await stop(again);
  const third = await enter(repoOf(made, ada), ada);
  assert.equal(third.sharing.breaches(), [], 'what was heeded is not found once more');
});

/** A commit on the ref of a machine as somebody else writes it. */
function forgeSign(
  { evil, remote }: Bench,
  {
    key = null,
    parents = null,
  }: { readonly key?: string | null; readonly parents?: readonly string[] | null },
): string {
  evil.git('fetch', '-q', 'origin', '+refs/blueflame/*:refs/blueflame/*');
  const text = `${evil.git('cat-file', 'commit', benRef)}\n`.replace(
    /gpgsig [\s\S]*?-----END SSH SIGNATURE-----\n/,
    '',
  );
  const on = parents ?? [remote.git('rev-parse', benRef)];
  const body = text
    .replace(/^(?:parent .*\n)+/m, '')
    .replace(/\nauthor /, `\n${on.map((parent) => `parent ${parent}\n`).join('')}author `);
  evil.write('.git/sign', key === null ? body : signCommitText(body, key, 'sha1'));
  const commit = evil.git('hash-object', '-t', 'commit', '-w', '.git/sign');
  evil.git('push', '-q', 'origin', `+${commit}:${benRef}`);
  return commit;
}

/** Has a machine give one more sign: with whatever it does. */
async function live(machine: Machine): Promise<void> {
  const done = await machine.store.transact(
    changing('task-002', (task) => ({ ...task, title: `${task.rev}` })),
  );
  assert.is(done.kind, 'done');
}

const silent = ({ sharing }: Machine): number =>
  sharing.machines().find(({ machine }) => machine === ben)?.silentMs ?? -1;

for (const [what, key, by] of [
  ['unsigned', null, null],
  ['signed with the key of another machine', own(eve), null],
] as const)
  test(`DST-1 TRU-2 a sign of life that a machine did not give, ${what}, keeps it alive for nobody; its own next one counts`, async () => {
    const made = await bench();
    await made.ada.sharing.look();
    forgeSign(made, { key });
    const before = silent(made.ada);
    const found = await seenBy(made.ada);
    assert.equal(brief(found), [['sign', null, ben, by, key === null ? null : publicKeyOf(key)]]);
    assert.ok(silent(made.ada) > before, 'it is silent for longer');
    assert.equal(brief(await seenBy(made.ben)).length, 1, 'it notices itself');
    await live(made.ben);
    await made.ada.sharing.look();
    assert.is(silent(made.ada), 0);
    assert.is((await seenBy(made.ada)).length, 1);
  });

test('DST-1 TRU-2 an old sign of life that is put back counts for nothing, nor does one of a ref that was begun anew', async () => {
  const made = await bench();
  const old = made.remote.git('rev-parse', benRef);
  await live(made.ben);
  await made.ada.sharing.look();
  const newest = made.remote.git('rev-parse', benRef);
  assert.is.not(old, newest);
  made.remote.git('update-ref', benRef, old);
  const before = silent(made.ada);
  assert.match((await seenBy(made.ada))[0]?.what ?? '', /an old sign of life of host\/bbbb/);
  made.remote.git('update-ref', '-d', benRef);
  await made.ada.sharing.look();
  const root = made.remote.git('rev-list', '--max-parents=0', newest);
  made.remote.git('update-ref', benRef, root);
  await made.ada.sharing.look();
  assert.ok(silent(made.ada) > before, 'it is silent all the time');
  // It stands on all it gave before.
  await live(made.ben);
  await made.ada.sharing.look();
  assert.is(silent(made.ada), 0);
});

test('DST-1 LIF-4 a machine that left, or was killed, and is back counts as itself', async () => {
  const made = await bench();
  const repo = repoOf(made, ben);
  await made.ben.sharing.leave(false);
  await stop(made.ben);
  const again = await enter(repo, ben);
  await again.store.transact(changing('task-001', claimed(ben)));
  assert.equal(await seenBy(made.ada), []);
  assert.is(silent(made.ada), 0);
  await stop(again);
  await enter(repo, ben);
  assert.equal(await seenBy(made.ada), []);
  assert.is(silent(made.ada), 0);
});

test.run();
