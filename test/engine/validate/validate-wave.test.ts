import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type { ValidatorFailedDecision } from '../../../lib/domain/ports/gates.ts';
import { validateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { workWave } from '../../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

/** A done task whose validators say nothing, and a person who answers in this order, then is away. */
async function openSilent(
  ...decisions: readonly ValidatorFailedDecision[]
): Promise<TestWorkshop & { readonly asked: string[]; paid(): number }> {
  const asked: string[] = [];
  const bench = await openTestWorkshop({
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.', priority: 1, file_locks: ['src/a.txt'] }],
    gates: {
      validatorFailed: async ({ reason }) => {
        asked.push(reason);
        const decision = decisions[asked.length - 1];
        if (decision !== undefined) return decision;
        throw new FlameError({
          kind: 'waiting',
          code: 'waits',
          message: 'Nobody.',
          hints: ['git flame run'],
        });
      },
    },
    agent: (request) => {
      if (request.role === 'validator') return { answer: null, cost_usd: 0.5, tokens: 100 };
      const file = join(request.worktree.path, 'src/a.txt');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'work on a\n');
      return { cost_usd: 0.5, tokens: 100 };
    },
  });
  await workWave(bench.workshop, bench.session);
  return { ...bench, asked, paid: () => bench.started.filter(({ role }) => role === 'validator').length };
}

test('VAL-4 validators that gave no verdict in an earlier run count: the person is asked before one more is paid', async () => {
  const { workshop, session, asked, paid } = await openSilent();
  for (const round of [1, 2, 3]) {
    await assertWaits(() => validateWave(workshop, session));
    assert.is(asked.length, round);
    assert.is(paid(), 2, `run ${round}`);
  }
  assert.match(
    asked[1] ?? '',
    /^2 validators gave no verdict \(validator-[0-9a-f]{8}, validator-[0-9a-f]{8}\)$/,
  );
});

test('VAL-4 a person who wants another one pays for one', async () => {
  const { workshop, session, asked, paid } = await openSilent(
    { kind: 'retry' },
    { kind: 'manual', status: 'pass', notes: 'Looks right.' },
  );
  await validateWave(workshop, session);
  assert.is(paid(), 3);
  assert.is(asked.length, 2);
  const [task] = (await workshop.store.snapshot()).tasksOf(session);
  assert.is(task?.result.status, 'pass');
});

async function assertWaits(run: () => Promise<void>): Promise<void> {
  const error = await run().then(
    () => null,
    (cause: unknown) => cause,
  );
  assert.is(error instanceof FlameError ? error.code : error, 'waits');
}

test.run();
