import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openLeadToolsInRun } from '../../../lib/commands/mcp/run-host.ts';
import { parseAgentId } from '../../../lib/domain/ids.ts';
import type { PlanQuestion } from '../../../lib/domain/ports/gates.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { throughDoor } from '../../support/led-run.ts';
import type { Said } from '../../support/mcp-client.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

// What failed beside what is done, and plans that are added to before anything is worked on.

test.after(closeWorkshops);

const task = (id: string, more: object = {}): Readonly<Record<string, unknown>> => ({
  ...{ id, title: id, description: id, file_locks: [`src/${id}.txt`] },
  ...more,
});
type Call = (tool: string, words?: Readonly<Record<string, unknown>>) => Promise<Said>;

async function settle(call: Call): Promise<Said> {
  for (let turn = 0; turn < 50; turn += 1) {
    const waited = await call('wait_for_workers', { timeout_s: 5 });
    if (waited.at('is_working') === false) return waited;
  }
  throw new Error('the work never ended');
}

async function openLed(ids: readonly string[]) {
  const asked: PlanQuestion[] = [];
  const bench = await openTestWorkshop({
    tasks: ids.map((id) => task(id)),
    config: { limits: { max_retries: 0, max_wave_cycles: 1 } },
    gates: {
      plan: async (question) => {
        asked.push(question);
        return { kind: 'approve' };
      },
    },
    agent: ({ role, task: of, worktree }) => {
      if (role === 'validator') return { answer: { status: 'pass', notes: 'Fine.', issues: [] } };
      if (of !== 'good') return {};
      mkdirSync(join(worktree.path, 'src'), { recursive: true });
      writeFileSync(join(worktree.path, 'src/good.txt'), 'good\n');
      return {};
    },
  });
  const { context, session } = bench;
  const by = parseAgentId('queen-0a1b2c3d');
  const desk = await openLeadToolsInRun({ context, session, by, stop: () => undefined });
  return { ...bench, desk, asked };
}

test('QUE-1 what failed is taken out of the plan beside what is done, in the last cycle too, before it is handed over', async () => {
  const { desk, asked, context, session } = await openLed(['good', 'bad']);
  await throughDoor(desk, async (call) => {
    await call('assign_task');
    const waited = await settle(call);
    assert.match(
      String(waited.at('next')),
      /^get_task_output, then approve_task what passed; reject_task .*drop_tasks/,
      waited.text,
    );
    const unapproved = await call('approve_task', { task_id: 'bad' });
    assert.equal([unapproved.at('error.code')], ['not-done'], unapproved.text);
    assert.match(String(unapproved.at('error.next.0')), /reject_task.*drop_tasks/);
    await call('approve_task', { task_id: 'good' });
    const early = await call('complete', { summary: 'All of it.' });
    assert.is(early.at('error.code'), 'not-passed', early.text);
    assert.match(String(early.at('error.message')), /^bad failed/);
    assert.match(String(early.at('error.next.0')), /drop_tasks/);
    const dropped = await call('drop_tasks', { task_ids: ['bad'], reason: 'It can not be done.' });
    assert.equal([dropped.isError, dropped.at('plan')], [false, 'approved'], dropped.text);
    // The person was told what goes.
    assert.equal(
      asked.map(({ plan, dropped: gone }) => [plan.tasks, gone]),
      [[[], ['bad']]],
    );
    const view = await viewSession(context, session);
    assert.equal(
      [view.session.cycle, view.session.state, view.tasks.map(({ id, status }) => `${id} ${status}`).sort()],
      [1, 'active', ['bad dropped', 'good done']],
    );
    const handed = await call('complete', { summary: 'What can be done.' });
    assert.equal([handed.isError, handed.at('changesets.length')], [false, 1], handed.text);
    const note = await call('leave_note', { text: 'Too late.' });
    assert.is(note.at('error.code'), 'completed', note.text);
  });
  await desk.close();
});

test('QUE-1 plans that are approved one after another are one cycle until something is worked on', async () => {
  const { desk, context, session } = await openLed(['good']);
  await throughDoor(desk, async (call) => {
    for (const id of ['two', 'three']) {
      const said = await call('create_tasks', { tasks: [task(id)] });
      assert.equal([said.isError, said.at('plan')], [false, 'approved'], said.text);
    }
    assert.is((await viewSession(context, session)).session.cycle, 1);
    await call('assign_task', { task_ids: ['good'] });
    await settle(call);
    // A mistake is told before the limit.
    const own = task('own', { file_locks: ['.blueflame.yml'] });
    assert.is((await call('create_tasks', { tasks: [own] })).at('error.code'), 'bad-plan');
    const more = await call('create_tasks', { tasks: [task('four')] });
    assert.is(more.at('error.code'), 'cycle-limit', more.text);
    const { file_locks: _, ...unlocked } = task('five');
    const bare = await call('create_tasks', { tasks: [unlocked] });
    assert.match(bare.text, /file_locks/);
    assert.not.match(bare.text, /bad-plan|cycle-limit/);
  });
  await desk.close();
});

test.run();
