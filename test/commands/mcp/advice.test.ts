import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openLeadToolsInRun } from '../../../lib/commands/mcp/run-host.ts';
import { adviseModelOnError } from '../../../lib/commands/mcp/tool-results.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { parseAgentId } from '../../../lib/domain/ids.ts';
import { makeExecProject, writeDecisions } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { throughDoor } from '../../support/led-run.ts';
import { untilNews } from '../../support/led-tasks.ts';
import { closeChats, openChat, type Said } from '../../support/mcp-client.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

// What a model that leads is told to do next is something it can do: its tools. The rest is named as the person's.

test.after(closeChats);
test.after(closeWorkshops);

const task = (id: string, more: object = {}): Readonly<Record<string, unknown>> => ({
  ...{ id, title: id, description: `echo ${id} > src/${id}.txt`, file_locks: [`src/${id}.txt`] },
  ...more,
});
const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

test('QUE-1 hints for a person are never told as what a model should do', () => {
  const made = (init: object) =>
    new FlameError({ kind: 'refused', code: 'any', message: 'No.', hints: ['git stash'], ...init });
  assert.equal(adviseModelOnError(made({}), 'Tell them'), { next: ['Tell them'], for_lead: ['git stash'] });
  assert.equal(adviseModelOnError(made({ hints: [] }), 'Tell them'), { next: ['Tell them'] });
  assert.equal(adviseModelOnError(made({ hints: ['get_status'], hintsFor: 'model' }), ''), {
    next: ['get_status'],
  });
  // What a person hears of as well, and a model can mend by its own tools.
  assert.equal(adviseModelOnError(made({ code: 'no-task' }), '').next, ['get_status lists the tasks']);
});

test('QUE-1 what only the person can mend is said to be theirs, with the commands that do it', async () => {
  const create = { objective: 'x', tasks: [task('one')] };
  const config = (text: string) => `schema_version: 1\nroles: { worker: { adapter: exec } }\n${text}`;
  const troubles: Readonly<
    Record<string, readonly [spoil: (repo: ReturnType<typeof makeExecProject>) => void, RegExp]>
  > = {
    'dirty-tree': [(repo) => repo.write('src/a.txt', 'changed\n'), /git -C \S+ stash/],
    'bad-config': [(repo) => repo.write('.blueflame.yml', config('nonsense: 1\n')), /git flame config/],
    'not-trusted': [
      (repo) => repo.write('.blueflame.yml', config('hooks: { post_plan: "touch x" }\n')),
      /git flame trust/,
    ],
    'detached-head': [
      (repo) => {
        repo.write('.blueflame.yml', config(''));
        repo.commit('no base');
        repo.git('checkout', '-q', '--detach');
      },
      /git switch/,
    ],
  };
  for (const [code, [spoil, command]] of Object.entries(troubles)) {
    const repo = makeExecProject();
    spoil(repo);
    const said = await (await openChat(repo)).call('create_tasks', create);
    assert.is(said.at('error.code'), code, said.text);
    assert.equal(
      listOf(said.at('error.next')),
      ['Only the project lead can fix this: report it, with the commands in for_lead, then call it again'],
      said.text,
    );
    assert.match(listOf(said.at('error.for_lead')).join('\n'), command);
    assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
  }
});

test('QUE-1 fail says what it stopped, what is kept and how it goes on; work that is handed over it stops not', async () => {
  const repo = makeExecProject();
  const decisions = writeDecisions(repo, {
    plan: ['approve', 'approve'],
    changesets: ['approve'],
    session: ['stop'],
  });
  const chat = await openChat(repo);
  const call = (name: string, words?: Readonly<Record<string, unknown>>): Promise<Said> => chat.call(name, words);
  await call('create_tasks', {
    objective: 'x',
    tasks: [task('one'), task('two'), task('three')],
  });
  await flame(repo, ['plan', '--decisions-file', decisions]);
  await call('assign_task', { task_ids: ['one'] });
  await untilNews(call, ({ verdicts }) => verdicts === 1);
  const failed = await call('fail', { reason: 'It can not be done.' });
  const { session } = JSON.parse((await flame(repo, ['status', '--json'])).stdout);
  assert.equal(JSON.parse(failed.text), {
    stopped: session.id,
    changed: true,
    still_at_work: [],
    kept: { done: ['one'], failed: [], not_done: ['three', 'two'] },
    for_lead: ['git flame run', 'git flame status'],
    next: 'Nothing: end, and report the reason to the lead. git flame run continues the session',
  });
  assert.is((await call('fail', { reason: 'Once more.' })).at('changed'), false);
  for (const tool of ['assign_task', 'complete'])
    assert.is((await call(tool, tool === 'complete' ? { summary: 'x' } : {})).at('error.code'), 'session-stopped');
  // A command that refuses leaves it stopped.
  const planned = await flame(repo, ['plan', '--decisions-file', decisions]);
  assert.match(planned.stderr, /already has a plan/);
  const kept = JSON.parse((await flame(repo, ['status', '--json'])).stdout);
  assert.is(kept.session.state, 'stopped');
  // What it says goes on does.
  const goesOn = await flame(repo, ['run', '--decisions-file', decisions]);
  assert.is(goesOn.code, 0, goesOn.stderr);
  assert.match(repo.git('ls-tree', '-r', '--name-only', 'main'), /src\/one\.txt\nsrc\/three\.txt\nsrc\/two\.txt/);

  await call('create_tasks', { objective: 'y', tasks: [task('four')] });
  await flame(repo, ['plan', '--decisions-file', decisions]);
  await call('assign_task');
  await untilNews(call, ({ verdicts }) => verdicts === 1);
  await call('approve_task', { task_id: 'four' });
  await call('complete', { summary: 'Done.' });
  assert.is((await call('fail', { reason: 'Oh no.' })).at('error.code'), 'completed');
});

test('QUE-1 VAL-4 where validators gave no verdict she is told who can go on, and nobody pays for a third', async () => {
  const bench = await openTestWorkshop({
    tasks: [task('one')],
    agent: ({ role, worktree }) => {
      if (role === 'validator') return { answer: null, cost_usd: 0.5, tokens: 100 };
      mkdirSync(join(worktree.path, 'src'), { recursive: true });
      writeFileSync(join(worktree.path, 'src/one.txt'), 'one\n');
      return {};
    },
  });
  const { context, session, started } = bench;
  const by = parseAgentId('queen-0a1b2c3d');
  const desk = await openLeadToolsInRun({ context, session, by, stop: () => undefined });
  const way =
    'reject_task sends it back for another attempt. The project lead can judge it, or pay for one more validator: git flame validate';
  await throughDoor(desk, async (call) => {
    await call('assign_task');
    for (let turn = 0; turn < 50; turn += 1) {
      const waited = await call('wait_for_workers', { timeout_s: 5 });
      if (waited.at('is_working') === false) break;
    }
    const paid = (): number => started.filter(({ role }) => role === 'validator').length;
    assert.is(paid(), 2);
    const again = await call('assign_task');
    assert.equal(JSON.parse(again.text), { assigned: [], validators_gave_no_verdict: ['one'], next: way });
    const status = await call('get_status');
    assert.equal(
      [status.at('tasks.0.verdict'), status.at('waits_for_lead.0')],
      [
        'validators gave none',
        {
          for: '1 task on which validators gave no verdict, unless you reject it',
          command: 'git flame validate',
        },
      ],
      status.text,
    );
    assert.is((await call('wait_for_workers', { timeout_s: 0 })).at('next'), way);
    for (const [tool, words] of [
      ['approve_task', { task_id: 'one' }],
      ['complete', { summary: 'x' }],
    ] as const) {
      const said = await call(tool, words);
      assert.equal([said.at('error.code'), said.at('error.next.0')], ['not-judged', way], said.text);
    }
    assert.is(paid(), 2);
    // Either way leads on.
    assert.is((await call('reject_task', { task_id: 'one', feedback: 'Simpler.' })).at('changed'), true);
    assert.equal((await call('assign_task')).at('assigned'), ['one']);
  });
  await desk.close();
});

test.run();
