import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toMachineTrustDecision } from '../../../lib/core/admission/make-decisions.ts';
import { renderVerdictToSign } from '../../../lib/core/machines/machine-statement.ts';
import type { DoneTask } from '../../../lib/domain/state/task-schema.ts';
import type { Verdict } from '../../../lib/domain/state/verdict.ts';
import { adoptVerdictsOfMachines } from '../../../lib/engine/machines/supervise-machines.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { makePrivateKey, publicKeyOf, signTextWithKey } from '../../../lib/util/machine-key.ts';
import { sharingLead } from '../../support/sharing-lead.ts';
import { makeVerdict } from '../../support/tasks.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const lead = sharingLead();
const [ours, others] = [makePrivateKey(), makePrivateKey()];

/** A session whose only task was done on another machine, and a lead that trusts the holder of a key. */
async function bench(): Promise<TestWorkshop & { readonly task: DoneTask }> {
  const made = await openTestWorkshop({
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.', file_locks: ['src/a.txt'] }],
    agent: ({ worktree, role }) =>
      role === 'validator' ? { answer: { status: 'pass', notes: 'Good.', issues: [] } } : write(worktree.path),
  });
  await runWorkWave({ ...made.context, place: 'ben/1' }, made.session);
  made.context.decided.record([toMachineTrustDecision({ id: made.session }, publicKeyOf(ours))]);
  const [task] = (await made.said.snapshot()).tasksOf(made.session);
  if (task?.status !== 'done') throw new Error(`${task?.status}`);
  return { ...made, task, context: { ...made.context, remoteSession: lead } };
}

function write(path: string): Record<string, never> {
  mkdirSync(join(path, 'src'), { recursive: true });
  writeFileSync(join(path, 'src/a.txt'), 'done\n');
  return {};
}

interface Telling {
  readonly name?: string;
  readonly claim?: number;
  readonly held?: number;
  readonly key?: string;
  readonly alter?: (verdict: Verdict) => Verdict;
}

/** As a machine writes it that judged the task, or pretends to. */
async function tell({ said, session, task }: TestWorkshop & { task: DoneTask }, telling: Telling): Promise<void> {
  const { name = 'eve/1', claim = 1, held = 1, key = ours, alter = (one) => one } = telling;
  const verdict = makeVerdict(task, 'pass', { session, by: 'validator-0000000a', base: task.start_commit });
  const text = renderVerdictToSign(verdict, { name, claim });
  const signed = { name, claim, key: publicKeyOf(key), signature: signTextWithKey(key, text) };
  const judging = { machine: null, claim: held, commit: task.commit };
  const next = { ...task, judging, result: { status: 'pass' as const, notes: '', issues: [] } };
  await said.transact(() => ({
    actor: 'eve',
    changes: [
      { subject: 'done', tasks: [next] },
      { subject: 'told', verdict: alter({ ...verdict, machine: signed }) },
    ],
  }));
}

async function found(made: TestWorkshop): Promise<string | null> {
  await adoptVerdictsOfMachines(made.context, made.session);
  const [task] = (await viewSession(made.context, made.session)).tasks;
  return task?.result.status ?? null;
}

test('DST-1 TRU-2 a verdict counts that a trusted machine signed under the claim it holds', async () => {
  const made = await bench();
  await tell(made, {});
  assert.is(await found(made), 'pass');
});

const lies: Readonly<Record<string, Telling>> = {
  'with no signature': { alter: ({ machine: _, ...verdict }) => verdict },
  'signed with a key that is not trusted': { key: others },
  'under a claim that passed on': { claim: 1, held: 2 },
  'of its own work': { name: 'ben/1' },
  'changed after it was signed': { alter: (verdict) => ({ ...verdict, notes: 'All is well.' }) },
  'with issues that were not signed': { alter: (verdict) => ({ ...verdict, status: 'pass', issues: ['x'] }) },
  'by a person against the checks': { alter: (verdict) => ({ ...verdict, override: 'I say so' }) },
  'under the name of another machine': {
    alter: (verdict) => ({
      ...verdict,
      machine: { ...(verdict.machine as never as object), name: 'x' } as never,
    }),
  },
};

for (const [what, telling] of Object.entries(lies))
  test(`DST-1 TRU-2 a verdict ${what} counts for nothing: the lead judges that work itself`, async () => {
    const made = await bench();
    await tell(made, telling);
    assert.is(await found(made), null);
    await runValidateWave(made.context, made.session);
    const [task] = (await viewSession(made.context, made.session)).tasks;
    assert.equal([task?.result.notes, task?.judging?.machine], ['Good.', null]);
  });

test('TRU-2 trust that is taken back lets no verdict count', async () => {
  const made = await bench();
  await tell(made, {});
  made.context.decided.supersede([toMachineTrustDecision({ id: made.session }, publicKeyOf(ours))]);
  assert.is(await found(made), null);
});

test.run();
