import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Session } from '../../../lib/domain/state/session.ts';
import { nameWithKey, publicKeyOf } from '../../../lib/util/machine-key.ts';
import { sampleSessionId } from '../sample.ts';
import {
  ada,
  type Bench,
  ben,
  bench,
  brief,
  closeMachines,
  enter,
  eve,
  leading,
  own,
  push,
  repoOf,
  seenBy,
  stop,
} from './liars.ts';
import type { Machine } from './machine.ts';

// Who may push puts a name forward as the lead's: that is held against nobody else, and makes nobody lead.

test.after.each(closeMachines);

const nameless = 'host/dddddddd';
const led =
  (lead: string, term: number) =>
  (session: Session): Session => ({
    ...session,
    machines: { ...(session.machines as NonNullable<Session['machines']>), lead, term },
  });
const raise = (session: Session): Session => ({
  ...session,
  raised_limit: (session.raised_limit ?? 100) + 1,
});

const kinds = async (machine: Machine): Promise<readonly string[]> =>
  (await seenBy(machine)).map(({ kind }) => kind);

async function does(machine: Machine, ...steps: readonly ((session: Session) => Session)[]): Promise<void> {
  assert.is((await machine.store.transact(leading(...steps))).kind, 'done');
}

/** Another start of the same machine, which heeded all it saw or was killed before. */
async function again(made: Bench, machine: Machine, isHeeded: boolean): Promise<Machine> {
  if (isHeeded) machine.sharing.heeded(machine.sharing.breaches().length);
  await machine.sharing.look();
  await stop(machine);
  return enter(repoOf(made, ada), ada);
}

const eves: readonly (readonly [string, (made: Bench) => Promise<void>])[] = [
  [
    'before it leads by the rules',
    async (made) => {
      await push(made, leading(led(ben, 2), led(ada, 1)));
      await does(made.ben, led(ben, 2));
    },
  ],
  [
    'after it began to lead by the rules',
    async (made) => {
      await does(made.ben, led(ben, 2));
      await push(made, leading(led(ada, 1), led(ben, 2)));
    },
  ],
  [
    'while another one is put there between its steps',
    async (made) => {
      await does(made.ben, led(ben, 2), raise);
      await push(made, leading(led(nameless, 3)));
    },
  ],
  [
    'while who led before it is put back',
    async (made) => {
      await push(made, leading(led(ben, 2), led(ada, 1)));
      await does(made.ben, led(ben, 2), raise);
      await push(made, leading(led(ada, 1)));
    },
  ],
  [
    'where nobody leads, in between',
    async (made) => {
      await does(made.ben, led(ben, 2));
      await push(
        made,
        leading(
          ({ machines: _, ...session }) => session,
          (session) => ({
            ...session,
            machines: { lead: ada, remote: 'origin', term: 1, lease_ms: 600_000, renew_ms: 120_000 },
          }),
        ),
      );
    },
  ],
];
for (const [what, forge] of eves)
  for (const isHeeded of [true, false])
    test(`DST-1 TRU-2 a machine whose name somebody puts forward ${what} is believed as before, ${isHeeded ? 'at the next start too' : 'after a kill too'}`, async () => {
      const made = await bench();
      await forge(made);
      await does(made.ben, raise);
      const honest = async (machine: Machine): Promise<void> => {
        assert.equal([...new Set(await kinds(machine))], ['lead']);
        assert.not(machine.sharing.isDistrusted(publicKeyOf(own(ben))));
      };
      await honest(made.ada);
      const next = await again(made, made.ada, isHeeded);
      await does(made.ben, raise);
      await next.sharing.look();
      assert.not(next.sharing.isDistrusted(publicKeyOf(own(ben))));
      const before = (await kinds(next)).length;
      await push(made, leading(raise), own(eve));
      assert.equal((await kinds(next)).slice(before), ['budget'], 'who never led is named');
      assert.ok(next.sharing.isDistrusted(publicKeyOf(own(eve))));
    });

const keyed = nameWithKey('host/eeeeeeee', publicKeyOf(own(eve)));

/** Pushes a merge that has what it likes of a step aside. */
async function pushMerge(made: Bench, other: (aside: string) => string): Promise<void> {
  const { evil } = made;
  const ref = 'refs/blueflame/sessions';
  evil.git('fetch', '-q', 'origin', `+${ref}:${ref}`);
  const tip = evil.git('rev-parse', ref);
  await push(made, leading(led(keyed, 2)));
  const aside = evil.git('rev-parse', ref);
  made.remote.git('update-ref', ref, tip);
  const merge = evil.git('commit-tree', `${aside}^{tree}`, '-p', tip, '-p', other(aside), '-m', 'merge');
  evil.git('push', '-q', 'origin', `${merge}:${ref}`);
}

for (const [what, other] of [
  ['brings a forged lead from its other side', (_: Bench, aside: string) => aside],
  [
    'has a side that holds nothing',
    ({ evil }: Bench) =>
      evil.git('commit-tree', evil.git('hash-object', '-t', 'tree', '-w', '/dev/null'), '-m', 'x'),
  ],
] as const)
  test(`DST-1 TRU-2 a merge that ${what} makes nobody lead`, async () => {
    const made = await bench();
    await pushMerge(made, (aside) => other(made, aside));
    assert.equal(await kinds(made.ada), ['lead']);
    await push(made, leading(raise), own(eve));
    assert.equal(await kinds(made.ada), ['lead', 'budget']);
  });

test('DST-1 TRU-2 thousands of false leads leave a bounded witness, and none of them is followed', async () => {
  const made = await bench();
  const names = [ben, ada, nameless, keyed];
  const flips = Array.from({ length: 5_000 }, (_, at) =>
    led(names[at % names.length] ?? nameless, at % 3 === 0 ? 1 : 3 + 2 * at),
  );
  await push(made, leading(...flips));
  const found = await kinds(made.ada);
  assert.ok(found.length > 4_900 && found.every((kind) => kind === 'lead'));
  const root = `refs/blueflame-witness/origin`;
  const count = (ref: string): string =>
    repoOf(made, ada).git(
      'rev-list',
      '--count',
      '--first-parent',
      `${root}/${ref}/${sampleSessionId}`,
      `^${root}/sessions`,
    );
  const next = await again(made, made.ada, true);
  assert.ok(Number(count('breaches')) <= 200 + 1, count('breaches'));
  assert.is(count('leads'), '1');
  const size = Number(repoOf(made, ada).git('cat-file', '-s', `${root}/leads/${sampleSessionId}`));
  assert.ok(size < 1_000, `${size}`);
  await push(made, leading(led(keyed, 20_001)));
  await push(made, leading(raise), own(eve));
  assert.equal(await kinds(next), ['lead', 'budget']);
  await does(made.ben, led(ben, 20_002), raise);
  assert.equal(await kinds(next), ['lead', 'budget']);
  assert.equal(brief(await seenBy(next)).slice(1), [['budget', null, null, null, publicKeyOf(own(eve))]]);
});

test.run();
