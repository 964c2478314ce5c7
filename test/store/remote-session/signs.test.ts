import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { machineRef } from '../../../lib/store/remote-session/machine-ref.ts';
import { appendKeyFingerprint, makePrivateKey, publicKeyOf, signTextWithKey } from '../../../lib/util/machine-key.ts';
import type { TestRepo } from '../../support/repo.ts';
import { sampleSession, sampleSessionId } from '../sample.ts';
import { inStore, makeClones, sync, taskOf } from '../sync-clones.ts';
import { type Machine, openMachine } from './machine.ts';

// Signs of life come with what each machine does, and by no clock.
const lease = { leaseMs: 600_000, renewMs: 120_000 };
const [adaKey, benKey, eveKey] = [makePrivateKey(), makePrivateKey(), makePrivateKey()];
const ada = appendKeyFingerprint('host/aaaaaaaa', publicKeyOf(adaKey));
const ben = appendKeyFingerprint('host/bbbbbbbb', publicKeyOf(benKey));
const benRef = machineRef(sampleSessionId, ben);

const opened: Machine[] = [];
test.after.each(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()));
});

async function enter(repo: TestRepo, name: string, key: string): Promise<Machine> {
  const machine = await openMachine(repo, name, { key });
  opened.push(machine);
  await machine.remoteSession.exchangeNow();
  machine.remoteSession.enter(sampleSessionId, lease);
  await machine.remoteSession.exchangeNow();
  return machine;
}

/** Ada leads, Ben has joined, and both have seen each other; `other` is a clone that may push. */
async function bench() {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b, other] = clones;
  const terms = { lead: ada, remote: 'origin', term: 1, lease_ms: 600_000, renew_ms: 120_000 };
  await inStore(a, (store) =>
    store.transact(() => ({
      actor: 'a',
      changes: [{ subject: 'led', session: sampleSession(sampleSessionId, { machines: terms }) }],
    })),
  );
  await sync(a);
  const lead = await enter(a, ada, adaKey);
  const joined = await enter(b, ben, benKey);
  await lead.remoteSession.exchangeNow();
  return { remote, other, b, ada: lead, ben: joined };
}

/** Has a machine give one more sign: with a change it makes. */
async function live(machine: Machine): Promise<void> {
  const done = await machine.store.transact((snapshot) => {
    const task = taskOf(snapshot, 'task-002');
    return { actor: 'x', changes: [{ subject: 'named', tasks: [{ ...task, title: `${task.rev}` }] }] };
  });
  assert.is(done.kind, 'done');
}

const silent = ({ remoteSession }: Machine): number =>
  remoteSession.machines().find(({ sign }) => sign?.machine === ben)?.silentMs ?? -1;

const lies: Readonly<Record<string, (text: string, signature: string) => string>> = {
  unsigned: (text) => text,
  'signed with the key of another machine': (text) => `${text}\nSignature: ${signTextWithKey(eveKey, text)}\n`,
  'with the signature of an earlier one': (text, signature) => `${text}\nSignature: ${signature}\n`,
};

/** A commit that differs, under a signature that is sound for what stands above it. */
const copies: typeof lies = {
  'copied with a line below': (text, signature) => `${text}\nSignature: ${signature}\nSignature: x\n`,
  'copied with another spelling of its signature': (text, signature) => `${text}\nSignature: ${signature}==\n`,
  'copied with an empty line below': (text, signature) => `${text}\nSignature: ${signature}\n\n`,
};

for (const [what, forge] of [...Object.entries(lies), ...Object.entries(copies)])
  test(`DST-1 TRU-2 a sign of life that a machine did not give, ${what}, does not keep it alive, and its own next one counts`, async () => {
    const made = await bench();
    await made.ada.remoteSession.exchangeNow();
    const { other } = made;
    other.git('fetch', '-q', 'origin', '+refs/blueflame/*:refs/blueflame/*');
    const [, text = '', signature = ''] =
      `${other.git('cat-file', 'commit', benRef)}\n`.match(/^(.*)\nSignature: ([\w-]+)\n$/s) ?? [];
    const next = text.replace(/\nauthor /, `\nparent ${other.git('rev-parse', benRef)}\nauthor `);
    other.write('.git/sign', forge(what in copies ? text : next, signature));
    const forged = other.git('hash-object', '-t', 'commit', '-w', '.git/sign');
    other.git('push', '-q', '--force', 'origin', `${forged}:${benRef}`);
    const before = silent(made.ada);
    await made.ada.remoteSession.exchangeNow();
    assert.ok(silent(made.ada) > before, 'it is silent for longer');
    await live(made.ben);
    await made.ada.remoteSession.exchangeNow();
    assert.is(silent(made.ada), 0);
  });

test('DST-1 LIF-4 a machine that left, and one that was killed, count as themselves once they are back', async () => {
  const made = await bench();
  await made.ben.remoteSession.leave(false);
  for (let at = 0; at < 2; at += 1) {
    await opened.pop()?.close();
    await live(await enter(made.b, ben, benKey));
    await made.ada.remoteSession.exchangeNow();
    assert.is(silent(made.ada), 0);
    assert.not(made.ada.remoteSession.isGone(ben));
  }
});

test.run();
