import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import type { ModelRequest } from '../support/model-request.ts';
import { roleOf, type Steps } from '../support/model-roles.ts';
import type { Reply } from '../support/model-server.ts';
import { provesRole } from '../support/proven-table.ts';
import { testIf } from '../support/skip.ts';

// A model that leads, through `git flame run --queen` with the real client; workers are scripts.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();
const config = { roles: { worker: { adapter: 'exec' } } };

const call = (tool: string, input: Readonly<Record<string, unknown>> = {}): Reply => ({
  tool: `mcp__flame__${tool}`,
  input,
});
const tasks = ['one', 'two'].map((id) => ({
  id,
  title: `Do ${id}`,
  description: `echo ${id} > src/new-${id}.txt && git add -A && git commit -qm 'feat: ${id}'`,
  file_locks: [`src/new-${id}.txt`],
}));

/** Plans, assigns, waits until all is judged, approves and hands over. */
function leads(request: ModelRequest): Reply {
  const last = request.toolResults.at(-1);
  if (last === undefined) return call('create_tasks', { tasks });
  if (last.tool.endsWith('create_tasks')) return call('assign_task');
  const waits = request.toolResults.filter(({ tool }) => tool.endsWith('wait_for_workers'));
  const passed = tasks.every(({ id }) =>
    waits.some(({ text }) => new RegExp(`"id":"${id}"[^}]*"verdict":"pass"`).test(text)),
  );
  if (!passed) {
    const cursor = /"cursor":"(c\d+)"/.exec(waits.at(-1)?.text ?? '')?.[1];
    return call('wait_for_workers', { timeout_s: 30, ...(cursor === undefined ? {} : { cursor }) });
  }
  const approved = request.toolResults.filter(({ tool }) => tool.endsWith('approve_task')).length;
  const next = tasks[approved];
  if (next !== undefined) return call('approve_task', { task_id: next.id, feedback: 'It does what was asked.' });
  return last.tool.endsWith('complete')
    ? { text: 'Two files were added.' }
    : call('complete', { summary: 'Two files.' });
}

const asQueen =
  (script: Steps | ((request: ModelRequest) => Reply)) =>
  (request: ModelRequest): Reply => {
    if (roleOf(request) !== 'queen') return { text: 'done.' };
    return typeof script === 'function' ? script(request) : (script[request.turn - 1] ?? { text: 'done.' });
  };

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-queen: needs Claude Code and a network namespace');
  test.after(closeProjects);

  live('QUE-1: a model leads to what lands, by her tools alone, and every call is seen', async () => {
    const project = await openClaudeProject({ config, script: asQueen(leads) });
    const decisions = writeDecisions(project.repo, { plan: ['approve'], changesets: ['approve'] });
    const run = await project.flame('run', '--queen', 'Two files', '--decisions-file', decisions);
    assert.is(run.code, 0, run.stderr + run.stdout);
    assert.equal(
      tasksOf(run).map(({ id, status }) => `${id} ${status}`),
      ['one merged', 'two merged'],
    );
    const hers = project.model.requests.filter((request) => roleOf(request) === 'queen');
    assert.ok(
      hers[0]?.tools.length === 14 && hers[0].tools.every((name) => name.startsWith('mcp__flame__')),
      `${hers[0]?.tools}`,
    );
    const calls = run.lines.filter(({ event }) => event === 'queen-call').map(({ tool }) => tool);
    assert.equal([calls[0], calls.at(-1)], ['create_tasks', 'complete']);
    const log = await project.flame('log', '-n', '200');
    assert.match(log.stdout, /queen-[0-9a-f]{8}/);
    provesRole('claude', 'queen');
  });

  live('QUE-1: a plan that nobody can decide ends her at once, and goes on where it was', async () => {
    const project = await openClaudeProject({ config, script: asQueen(leads) });
    const waiting = await project.flame('run', '--queen', 'Two files');
    assert.is(waiting.code, 2, waiting.stderr + waiting.stdout);
    const paid = project.model.requests.length;
    const decisions = writeDecisions(project.repo, { plan: ['approve'], changesets: ['approve'] });
    // Approved by the person; she goes on from there, and proposes the same without a change.
    const run = await project.flame('run', '--queen', '--decisions-file', decisions);
    assert.is(run.code, 0, run.stderr + run.stdout);
    assert.ok(project.model.requests.length > paid);
    assert.equal(
      tasksOf(run).map(({ id, status }) => `${id} ${status}`),
      ['one merged', 'two merged'],
    );
  });

  live('QUE-1: where she fails in the middle, the waves take what was approved', async () => {
    const project = await openClaudeProject({
      config,
      script: asQueen((request) =>
        request.toolResults.length === 0 ? call('create_tasks', { tasks }) : { status: 400, error: 'no more' },
      ),
    });
    const decisions = writeDecisions(project.repo, { plan: ['approve'], changesets: ['approve'] });
    const run = await project.flame('run', '--queen', 'Two files', '--decisions-file', decisions);
    assert.is(run.code, 0, run.stderr + run.stdout);
    assert.match(run.stdout, /no longer leads/);
    assert.equal(
      tasksOf(run).map(({ id, status }) => `${id} ${status}`),
      ['one merged', 'two merged'],
    );
  });
}

test.run();
