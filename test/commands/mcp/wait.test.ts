import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type LeadHost, LeadSession } from '../../../lib/commands/mcp/lead-session.ts';
import { waitForWorkers } from '../../../lib/commands/mcp/wait-for-workers.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { makeExecProject, writeDecisions } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { closeChats, openChat } from '../../support/mcp-client.ts';

test.after(closeChats);

const call = { signal: new AbortController().signal };

test('QUE-1 a chat in which nothing can change answers a wait at once with what to do, then by an error', async () => {
  const host = {
    longestWaitMs: 1,
    askPlan: null,
    look: async () => ({ view: null }),
    end: () => assert.unreachable('a chat is its person’s to end'),
  };
  const lead = new LeadSession(host as unknown as LeadHost);
  const waits: unknown[] = [];
  for (let turn = 0; turn < 20; turn += 1)
    waits.push(
      await waitForWorkers(lead, { timeout_s: 3_600 }, call).then(
        (said) => 'next' in said && said.next,
        (error: unknown) => error instanceof FlameError && error.code,
      ),
    );
  const first = 'create_tasks with an objective starts a session';
  assert.equal(waits, [first, first, ...Array(18).fill('nothing-to-wait-for')]);
});

test('QUE-1 a wait without a cursor tells all once, and then waits for a change as one with a cursor does', async () => {
  const repo = makeExecProject();
  const chat = await openChat(repo);
  const task = { id: 'one', title: 'One', description: 'true', file_locks: ['src/one.txt'] };
  await chat.call('create_tasks', { objective: 'One', tasks: [task] });
  assert.is((await chat.call('wait_for_workers', { timeout_s: 45 })).at('plan'), 'waits for the lead');
  // The next one waits: it is answered only after the person has decided.
  const second = chat.call('wait_for_workers', { timeout_s: 45 });
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['plan', '--decisions-file', decisions])).code, 0);
  const said = await second;
  assert.equal([said.at('plan'), said.at('next')], ['approved', 'assign_task'], said.text);
});

test.run();
