import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimTask, completeTask, releaseTask } from '../../../lib/core/task/task-attempt.ts';
import type { AgentId, ObjectId } from '../../../lib/domain/ids.ts';
import type { Change, Snapshot } from '../../../lib/domain/ports/store-port.ts';
import type { Breach } from '../../../lib/domain/state/breach.ts';
import type { Task } from '../../../lib/domain/state/task.ts';
import { machineRef } from '../../../lib/store/shared/machine-ref.ts';
import { listBreaches } from '../../../lib/store/shared/witness.ts';
import { signCommitText } from '../../../lib/util/commit-signature.ts';
import { makePrivateKey, nameWithKey, publicKeyOf } from '../../../lib/util/machine-key.ts';
import type { TestRepo } from '../../support/repo.ts';
import { sampleSession, sampleSessionId } from '../sample.ts';
import { commonDirOf, inStore, makeClones, sync, taskOf } from '../sync-clones.ts';
import { type Machine, openMachine } from './machine.ts';

// ada leads, ben helps, and eve pushes what she likes.

const keyOf = new Map<string, string>();
const [ada, ben, eve] = (['a', 'b', 'c'] as const).map(named) as [string, string, string];

function named(letter: string): string {
  const key = makePrivateKey();
  const name = nameWithKey(`host/${letter.repeat(8)}`, publicKeyOf(key));
  keyOf.set(name, key);
  return name;
}

function own(name: string): string {
  return keyOf.get(name) ?? '';
}

// Signs come with what each does, and by no clock.
const lease = { leaseMs: 600_000, renewMs: 120_000 };
const at = '2026-03-01T08:00:00.000Z';
const benRef = machineRef(sampleSessionId, ben);
const tasksRef = 'refs/blueflame/tasks';

interface Bench {
  readonly remote: TestRepo;
  readonly evil: TestRepo;
  readonly repos: Readonly<Record<string, TestRepo>>;
  readonly ada: Machine;
  readonly ben: Machine;
}

const opened: Machine[] = [];
test.after.each(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()));
});

async function stop(machine: Machine): Promise<void> {
  opened.splice(opened.indexOf(machine), 1);
  await machine.close();
}

async function enter(repo: TestRepo, name: string): Promise<Machine> {
  const machine = await openMachine(repo, name, { key: own(name) });
  opened.push(machine);
  await machine.sharing.look();
  machine.sharing.enter(sampleSessionId, lease);
  await machine.sharing.look();
  return machine;
}

async function bench(): Promise<Bench> {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b, evil] = clones;
  const terms = { lead: ada, remote: 'origin', term: 1, lease_ms: 600_000, renew_ms: 120_000 };
  await inStore(a, (store) =>
    store.transact(() => ({
      actor: 'a',
      changes: [{ subject: 'led', session: sampleSession(sampleSessionId, { machines: terms }) }],
    })),
  );
  await sync(a);
  const [one, two] = [await enter(a, ada), await enter(b, ben)];
  // Each has seen the other by then.
  await one.sharing.look();
  await two.sharing.look();
  return {
    ...{ remote, evil, repos: { [ada]: a, [ben]: b }, ada: one, ben: two },
  };
}

function repoOf({ repos, evil }: Bench, name: string): TestRepo {
  return repos[name] ?? evil;
}

type Step = (task: Task) => Task;
const claimed =
  (host: string, change: Partial<Task> = {}): Step =>
  (task) => ({
    ...claimTask(task, { agentId: `worker-${host}` as AgentId, worktree: null, at, claimedBy: host, host })
      .task,
    ...(change as object),
  });
const done: Step = (task) => {
  const [commit, start] = ['1'.repeat(40), '2'.repeat(40)] as ObjectId[];
  if (commit === undefined || start === undefined) throw new Error('two');
  return completeTask(task, { commit, start, branch: 'b', notes: '', at, cost: 0, tokens: 0 }).task;
};
const released: Step = (task) => releaseTask(task, { reason: 'x', at }).task;

const changing =
  (id: string, ...steps: readonly Step[]) =>
  (snapshot: Snapshot): { readonly actor: string; readonly changes: readonly Change[] } => {
    let task = taskOf(snapshot, id);
    const changes = steps.map((step) => {
      task = step(task);
      return { subject: `${id}: ${task.status}`, tasks: [task] };
    });
    return { actor: 'x', changes };
  };

/** What somebody with push rights writes, by no program of ours, signed with a key or not. */
async function push(
  { evil }: Bench,
  steps: ReturnType<typeof changing>,
  key: string | null = null,
): Promise<void> {
  evil.git('fetch', '-q', 'origin', '+refs/blueflame/*:refs/blueflame/*');
  const machine = await openMachine(evil, eve, { key });
  // Of its own clone: it asks no remote.
  await machine.close();
  const { openStore } = await import('../../../lib/store/open-store.ts');
  const store = await openStore({
    context: { cwd: evil.path, env: evil.env },
    ...{ commonDir: commonDirOf(evil), objectFormat: 'sha1' },
    signer: () => (key === null ? null : (text) => signCommitText(text, key, 'sha1')),
  });
  await store.transact(steps);
  await store.close();
  evil.git('push', '-q', 'origin', 'refs/blueflame/*:refs/blueflame/*');
}

async function seenBy(machine: Machine): Promise<readonly Breach[]> {
  await machine.sharing.look();
  return machine.sharing.breaches().map(({ breach }) => breach);
}

const brief = (found: readonly Breach[]): readonly unknown[] =>
  found.map(({ kind, task, machine, by, key }) => [kind, task, machine, by, key]);

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
