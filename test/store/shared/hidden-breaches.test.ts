import { execFileSync } from 'node:child_process';
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
  changing,
  claimed,
  closeMachines,
  enter,
  eve,
  leading,
  own,
  push,
  repoOf,
  type Step,
  seenBy,
  stop,
} from './liars.ts';

// Breaches that somebody hides: behind many commits, behind many others, behind a lead that is none.

test.after.each(closeMachines);

/** Pushes commits that change no note, on top of what the remote has. */
function pushEmpty({ evil }: Bench, ref: string, count: number): void {
  evil.git('fetch', '-q', 'origin', `+${ref}:${ref}`);
  const tip = evil.git('rev-parse', ref);
  const commit = (at: number): string =>
    `commit ${ref}\ncommitter E <e@example.com> ${1_772_000_000 + at} +0000\ndata 0\n${at === 0 ? `from ${tip}\n` : ''}\n`;
  const input = Array.from({ length: count }, (_, at) => commit(at)).join('');
  execFileSync('git', ['fast-import', '--quiet'], { cwd: evil.path, env: evil.env, input });
  evil.git('push', '-q', 'origin', `${ref}:${ref}`);
}

test('DST-1 TRU-2 a breach is found below however many commits somebody pushes on it between two looks', async () => {
  const made = await bench();
  await push(made, changing('task-001', claimed(ben)));
  pushEmpty(made, 'refs/blueflame/tasks', 20_000);
  assert.equal(brief(await seenBy(made.ada)), [['claim', 'task-001', ben, null, null]]);
});

test('DST-1 TRU-2 whose key signed a lie stays known, however many others lie before it', async () => {
  const made = await bench();
  const junk: Step = (task) => ({ ...task, claim: (task.claim ?? 0) + 2 });
  await push(made, changing('task-001', ...Array<Step>(200).fill(junk)));
  assert.is((await seenBy(made.ada)).length, 200);
  await push(made, changing('task-002', claimed(ben)), own(eve));
  await push(made, changing('task-002', junk), own(eve));
  await push(made, changing('task-001', junk));
  assert.is((await seenBy(made.ada)).length, 203);
  made.ada.sharing.heeded(203);
  await made.ada.sharing.look();
  await stop(made.ada);
  const again = await enter(repoOf(made, ada), ada);
  assert.ok(again.sharing.isDistrusted(publicKeyOf(own(eve))));
  const evidence = repoOf(made, ada).git(
    'rev-list',
    '--first-parent',
    '--grep="v": 1',
    '--count',
    `refs/blueflame-witness/origin/breaches/${sampleSessionId}`,
  );
  assert.is(evidence, '201', 'one more than the limit: the first proof against that key');
});

for (const [what, hide] of [
  ['ended', (session: Session): Session => ({ ...session, state: 'ended' })],
  ['shared no more', ({ machines: _, ...session }: Session): Session => session],
] as const)
  test(`DST-1 TRU-2 what somebody does behind a session that was ${what} against the rules is named as before`, async () => {
    const made = await bench();
    await push(made, leading(hide), own(eve));
    const first = (await seenBy(made.ada)).length;
    assert.is(first, 1);
    await push(
      made,
      leading(
        (session) => ({ ...session, raised_limit: 999 }),
        (session) => ({ ...session, state: 'active', cost_usd: -1 }),
      ),
      own(eve),
    );
    assert.equal(
      (await seenBy(made.ada)).slice(first).map(({ kind, what: told }) => `${kind}: ${told}`),
      ['budget: its limit was raised by who does not lead', 'budget: what was spent became less'],
    );
  });

test('DST-1 evidence is kept as long as its session is at hand', async () => {
  const made = await bench();
  await push(made, changing('task-001', claimed(ben)));
  assert.is((await seenBy(made.ada)).length, 1);
  await stop(made.ada);
  const repo = repoOf(made, ada);
  const root = 'refs/blueflame-witness/origin/breaches/';
  repo.git('update-ref', `${root}ses-20250101-000000-0000`, 'HEAD');
  await enter(repo, ada);
  assert.is(repo.git('for-each-ref', '--format=%(refname)', root), `${root}${sampleSessionId}`);
});

const led =
  (lead: string) =>
  (session: Session): Session => ({
    ...session,
    machines: { ...(session.machines as NonNullable<Session['machines']>), lead, term: 2 },
  });
const raised = (session: Session): Session => ({ ...session, raised_limit: 1_000 });
const nameless = 'host/dddddddd';

for (const [what, lead, key] of [
  ['whose name holds no key', nameless, null],
  ['in whose name somebody else took it', nameWithKey('host/eeeeeeee', publicKeyOf(own(eve))), null],
] as const)
  test(`DST-1 TRU-2 a lead ${what} leads nothing: what only who leads may do is named after it, at the next start too`, async () => {
    const made = await bench();
    await push(made, leading(led(lead)), key);
    assert.equal(brief(await seenBy(made.ada)), [['lead', null, ada, null, null]]);
    await push(made, leading(raised), own(eve));
    const kinds = async (machine: typeof made.ada): Promise<readonly string[]> =>
      (await seenBy(machine)).map(({ kind }) => kind);
    assert.equal(await kinds(made.ada), ['lead', 'budget']);
    made.ada.sharing.heeded(2);
    await made.ada.sharing.look();
    await stop(made.ada);
    const again = await enter(repoOf(made, ada), ada);
    await push(
      made,
      leading((session) => ({ ...session, raised_limit: 2_000 })),
      own(eve),
    );
    assert.equal(await kinds(again), ['budget']);
  });

test('DST-1 who takes over by the rules from a lead that was none leads from then on', async () => {
  const made = await bench();
  await push(made, leading(led(nameless)));
  await made.ada.sharing.look();
  await made.ben.sharing.look();
  const machines = { lead: ben, remote: 'origin', term: 3, lease_ms: 600_000, renew_ms: 120_000 };
  const took = await made.ben.store.transact(leading((session) => ({ ...session, machines })));
  assert.is(took.kind, 'done');
  await made.ben.store.transact(leading(raised));
  assert.equal(
    (await seenBy(made.ada)).map(({ kind }) => kind),
    ['lead'],
  );
});

test.run();
