import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChangesetDecision } from '../../../lib/domain/ports/changeset-question.ts';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { openStack, runStack, type StackBench } from '../../support/stack.ts';
import { closeWorkshops } from '../../support/workshop.ts';

test.after(closeWorkshops);

// What somebody with push rights writes while the person decides: b was built on a, which is not approved.

async function rewrite(
  { said, session }: StackBench,
  change: (all: readonly Changeset[]) => Changeset[],
): Promise<void> {
  await said.transact(({ sessions }) => {
    const stored = sessions.find(({ id }) => id === session);
    assert.ok(stored !== undefined);
    const next = { ...stored, changesets: change(stored.changesets) };
    return { changes: [{ subject: 'forged', session: next }], actor: 'Mia <mia@example.com>' };
  });
}

const forgeries: Readonly<Record<string, (all: readonly Changeset[]) => Changeset[]>> = {
  'that it needs nothing': (all) => all.map((one) => ({ ...one, depends_on: [] })),
  'the other one away': (all) => all.filter(({ group }) => group !== 'a'),
  'the other one of another group': (all) => all.map((one) => (one.group === 'a' ? { ...one, group: 'other' } : one)),
};
for (const [what, change] of Object.entries(forgeries))
  test(`TRU-2 an approval lands nothing else where a note says ${what}`, async () => {
    let isForged = false;
    const bench: StackBench = await openStack({
      tasks: [{ id: 'a' }, { id: 'b' }],
      gates: {
        changeset: async ({ changeset: { group } }): Promise<ChangesetDecision> => {
          if (group === 'b') return { kind: 'approve' };
          if (!isForged) await rewrite(bench, change);
          isForged = true;
          return { kind: 'skip' };
        },
      },
    });
    const before = bench.repo.git('rev-parse', 'main');
    await runStack(bench).catch(() => undefined);
    assert.ok(isForged);
    const { session } = await viewSession(bench.context, bench.session);
    assert.not(session.changesets.some(({ state }) => state === 'landed'));
    assert.is(bench.repo.git('rev-parse', 'main'), before);
  });

test.run();
