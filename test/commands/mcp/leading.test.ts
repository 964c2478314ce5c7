import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { execConfig, makeExecProject, writeDecisions } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { type ChatClient, closeChats, openChat, type Said } from '../../support/mcp-client.ts';
import { programFolder, untilSaid } from '../../support/program.ts';
import type { TestRepo } from '../../support/repo.ts';

test.after(closeChats);

const task = (id: string, more: object = {}): object => ({
  id,
  title: `Do ${id}`,
  description: `echo ${id} > src/new-${id}.txt && git add -A && git commit -qm 'feat: ${id}'`,
  file_locks: [`src/new-${id}.txt`],
  ...more,
});

async function refusedAs(code: string, calling: Promise<Said>): Promise<void> {
  const { isError, text, at } = await calling;
  assert.equal([isError, at('error.code')], [true, code], text);
  assert.ok(at('error.next.0'), `${code}: no next step`);
}

/** The person approves in a terminal of their own. */
async function approvePlan(repo: TestRepo): Promise<void> {
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const run = await flame(repo, ['plan', '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
}

async function untilDone(chat: ChatClient, id: string): Promise<void> {
  let cursor: string | undefined;
  for (let turn = 0; turn < 50; turn += 1) {
    const news = await chat.call('wait_for_workers', {
      timeout_s: 20,
      ...(cursor === undefined ? {} : { cursor }),
    });
    assert.is(news.isError, false, news.text);
    cursor = String(news.at('cursor'));
    const tasks = news.at('news');
    const found = Array.isArray(tasks) ? tasks.find((one) => one.id === id) : undefined;
    if (found?.verdict === 'pass') return;
    assert.is.not(found?.status, 'failed', news.text);
    assert.is(news.at('trouble'), undefined, news.text);
  }
  assert.unreachable(`${id} was never done`);
}

test('QUE-1 a chat leads from the objective to what waits for review, and passes no gate', async () => {
  const repo = makeExecProject();
  const chat = await openChat(repo);
  const noting = 'echo "one is there" > "$FLAME_NOTES"; echo one > src/new-one.txt';
  const tasks = [task('one', { description: noting }), task('two', { dependencies: ['one'] })];
  await refusedAs('no-objective', chat.call('create_tasks', { tasks }));
  await refusedAs('no-session', chat.call('leave_note', { text: 'too early' }));
  const created = await chat.call('create_tasks', { objective: 'Two files', tasks });
  assert.equal([created.at('changed.length'), created.at('plan')], [2, 'waits for the lead'], created.text);
  // The same once more, as a client does that lost the answer.
  const again = await chat.call('create_tasks', { objective: 'Two files', tasks });
  assert.equal(again.at('changed.length'), 0, again.text);
  await refusedAs('plan-not-approved', chat.call('assign_task'));
  await refusedAs('plan-not-approved', chat.call('assign_task', { task_ids: ['one'] }));
  await refusedAs('plan-not-approved', chat.call('complete', { summary: 'done' }));

  await approvePlan(repo);
  const news = await chat.call('wait_for_workers', { timeout_s: 5 });
  assert.is(news.at('plan'), 'approved', news.text);
  await refusedAs('no-task', chat.call('leave_note', { text: 'x', task_ids: ['none'] }));
  await refusedAs('bad-note', chat.call('leave_note', { text: 'x', paths: ['../up'] }));
  for (const changed of [true, false]) {
    const left = await chat.call('leave_note', { text: 'Approve this:\u202e all of it', task_ids: ['two'] });
    assert.is(left.at('changed'), changed, left.text);
  }
  await refusedAs('not-done', chat.call('approve_task', { task_id: 'one' }));
  await refusedAs('still-open', chat.call('complete', { summary: 'done' }));
  assert.is((await chat.call('assign_task')).at('assigned.length'), 2);
  await untilDone(chat, 'two');

  const diff = await chat.call('get_task_output', { task_id: 'one', part: 'diff' });
  assert.match(String(diff.at('text')), /\+one/);
  assert.match(String((await chat.call('get_task_output', { task_id: 'one' })).at('text')), /"one is there"/);
  assert.match((await flame(repo, ['status', '--plain'])).stdout, /^2 notes for later tasks: git flame note$/m);
  const status = JSON.parse((await flame(repo, ['status', '--json'])).stdout);
  assert.equal(status.notes, { active: 2, elsewhere: 0 });
  const listed = await flame(repo, ['note']);
  assert.match(listed.stdout, /of one, by worker-[0-9a-f]{8}.*\n {2}one is there\n/);
  assert.match(listed.stdout, /by queen-[0-9a-f]{8}.*, for two\n {2}Approve this: all of it\n/);
  assert.match((await flame(repo, ['show', 'two', '--plain'])).stdout, /Notes\n.*\n {4}Approve this: all of it/);
  await refusedAs('stale-commit', chat.call('approve_task', { task_id: 'one', commit: '0123456789' }));
  await refusedAs('unapproved', chat.call('complete', { summary: 'done' }));
  await refusedAs('id-taken', chat.call('create_tasks', { tasks: [task('one', { title: 'Other' })] }));
  for (const id of ['one', 'two'])
    assert.is((await chat.call('approve_task', { task_id: id, feedback: 'Good.' })).at('changed'), true);
  assert.is((await chat.call('approve_task', { task_id: 'two' })).at('changed'), false);

  const handed = await chat.call('complete', { summary: 'Two files are there.' });
  assert.equal(handed.at('changesets.length'), 1, handed.text);
  await refusedAs('completed', chat.call('create_tasks', { tasks: [task('three')] }));
  await refusedAs('completed', chat.call('reject_task', { task_id: 'one', feedback: 'No.' }));
  assert.not.match(repo.git('ls-tree', '-r', '--name-only', 'main'), /new-one\.txt/, 'it landed');

  const decisions = writeDecisions(repo, { changesets: ['approve'] });
  const review = await flame(repo, ['review', '--decisions-file', decisions]);
  assert.is(review.code, 0, review.stderr);
  assert.match(repo.git('ls-tree', '-r', '--name-only', 'main'), /src\/new-one\.txt\nsrc\/new-two\.txt/);
  const log = await flame(repo, ['log', '-n', '100']);
  assert.match(log.stdout, /queen-[0-9a-f]{8}/);
  assert.match(chat.stderr(), /queen-[0-9a-f]{8} calls approve_task one/);
});

test('QUE-1 an approved task that is asked otherwise begins with neither words before they are approved', async () => {
  const repo = makeExecProject();
  const chat = await openChat(repo);
  const after = task('two', { dependencies: ['one'] });
  await chat.call('create_tasks', { objective: 'x', tasks: [task('one'), after, task('three')] });
  await approvePlan(repo);
  const other = { ...after, description: 'echo other > src/new-two.txt' };
  const changed = await chat.call('create_tasks', { tasks: [other] });
  assert.equal([changed.at('plan'), changed.at('waiting')], ['waits for the lead', 3], changed.text);
  await refusedAs('plan-not-approved', chat.call('assign_task', { task_ids: ['one', 'two'] }));
  const dropped = await chat.call('drop_tasks', { task_ids: ['three'], reason: 'Not needed.' });
  assert.is(dropped.at('plan'), 'waits for the lead', dropped.text);
  // What stays as it was approved goes on.
  assert.equal((await chat.call('assign_task')).at('assigned'), ['one']);
  await untilDone(chat, 'one');
  const statuses = async (): Promise<unknown> => {
    const said = await chat.call('get_status');
    return ['0', '1', '2'].map((index) => [said.at(`tasks.${index}.id`), said.at(`tasks.${index}.status`)].join(' '));
  };
  assert.equal(await statuses(), ['one done', 'three pending', 'two pending']);

  await approvePlan(repo);
  assert.equal((await chat.call('assign_task')).at('assigned'), ['two']);
  await untilDone(chat, 'two');
  assert.equal(await statuses(), ['one done', 'three dropped', 'two done']);
  assert.match((await chat.call('get_task_output', { task_id: 'two', part: 'diff' })).text, /\+other/);
});

test('QUE-1 work that conflicts with what it was built on, once that is done again, is assigned like any other', async () => {
  const repo = makeExecProject();
  const chat = await openChat(repo);
  const locks = { file_locks: ['src/shared.txt'] };
  const one = task('one', { ...locks, description: 'echo "one $FLAME_ATTEMPT" >> src/shared.txt' });
  const two = task('two', { ...locks, description: 'echo two >> src/shared.txt', dependencies: ['one'] });
  await chat.call('create_tasks', { objective: 'x', tasks: [one, two] });
  await approvePlan(repo);
  await chat.call('assign_task');
  await untilDone(chat, 'two');
  await chat.call('reject_task', { task_id: 'one', feedback: 'Once more.' });
  await chat.call('assign_task', { task_ids: ['one'] });
  await untilDone(chat, 'one');
  while ((await chat.call('get_status')).at('tasks.1.status') !== 'requeued')
    await chat.call('wait_for_workers', { timeout_s: 1 });
  assert.equal((await chat.call('assign_task')).at('assigned'), ['two']);
  await untilDone(chat, 'two');
});

test('QUE-1 what goes back is worked on again as often as the lead allows, and a plan changes only by the gate', async () => {
  const repo = makeExecProject({ config: { queen: { max_rejects: 1 } } });
  const chat = await openChat(repo, { isOld: true });
  await refusedAs(
    'bad-plan',
    chat.call('create_tasks', {
      objective: 'x',
      tasks: [task('a', { dependencies: ['b'] }), task('b', { dependencies: ['a'] })],
    }),
  );
  await refusedAs(
    'bad-plan',
    chat.call('create_tasks', { objective: 'x', tasks: [task('a', { file_locks: ['.env'] })] }),
  );
  const forbidden = await chat.call('create_tasks', {
    objective: 'x',
    tasks: [task('a', { adapter: 'exec' })],
  });
  assert.is(forbidden.isError, true);
  await chat.call('create_tasks', { objective: 'x', tasks: [task('a'), task('b')] });
  await approvePlan(repo);
  await chat.call('assign_task', { task_ids: ['a'] });
  await untilDone(chat, 'a');
  assert.is((await chat.call('get_status')).at('tasks.1.status'), 'pending', 'b was not assigned');
  await refusedAs('no-task', chat.call('reject_task', { task_id: 'nobody', feedback: 'x' }));
  assert.is((await chat.call('reject_task', { task_id: 'a', feedback: 'Once more.' })).isError, false);
  assert.is((await chat.call('get_status')).at('tasks.0.status'), 'pending');
  await chat.call('assign_task', { task_ids: ['a'] });
  await untilDone(chat, 'a');
  await refusedAs('too-many-rejects', chat.call('reject_task', { task_id: 'a', feedback: 'And again.' }));

  // Another task beside approved ones waits for the person, who refuses it; what was approved goes on.
  const more = await chat.call('create_tasks', { tasks: [task('c')] });
  assert.is(more.at('plan'), 'waits for the lead', more.text);
  assert.is((await chat.call('get_status')).at('proposed.length'), 2);
  const decisions = writeDecisions(repo, { plan: ['quit'] });
  const refused = await flame(repo, ['plan', '--decisions-file', decisions]);
  assert.is(refused.code, 0, refused.stderr);
  assert.is((await chat.call('get_status')).at('tasks_in_all'), 2);
  // Beside what is done all that is open may go, if the person says so.
  const none = await chat.call('drop_tasks', { task_ids: ['b'], reason: 'not needed' });
  assert.equal([none.at('plan'), none.at('waiting')], ['waits for the lead', 0], none.text);
  const same = await chat.call('create_tasks', { tasks: [task('b')] });
  assert.is(same.at('plan'), 'approved', same.text);
});

test('QUE-1 a configuration that changes while a chat is open holds for all calls after it', async () => {
  const repo = makeExecProject();
  const chat = await openChat(repo);
  await chat.call('create_tasks', { objective: 'x', tasks: [task('a')] });
  repo.write('.blueflame.yml', execConfig({ queen: { max_tasks: 1 } }));
  repo.commit('fewer tasks');
  for (const _ of [1, 2]) await refusedAs('too-many-tasks', chat.call('create_tasks', { tasks: [task('b')] }));
});

test('QUE-1 one model leads at a time, and a client that is gone leaves nothing running', async () => {
  const repo = makeExecProject();
  const [first, second] = [await openChat(repo), await openChat(repo)];
  const slow = task('slow', { description: 'sleep 60' });
  await first.call('create_tasks', { objective: 'Slow', tasks: [slow] });
  await refusedAs('queen-busy', second.call('create_tasks', { tasks: [task('other')] }));
  assert.is((await second.call('get_status')).isError, false);
  await approvePlan(repo);
  await first.call('assign_task');
  let status: unknown;
  for (let turn = 0; status !== 'claimed' && turn < 100; turn += 1) {
    await first.call('wait_for_workers', { timeout_s: 0.2 });
    status = (await second.call('get_status')).at('tasks.0.status');
  }
  assert.is(status, 'claimed');
  process.kill(first.pid, 'SIGKILL');
  // The lead is free at once, and so is the task at the next start.
  let again = await second.call('assign_task');
  for (let turn = 0; again.at('error.code') === 'queen-busy' && turn < 100; turn += 1)
    again = await second.call('assign_task');
  assert.is(again.at('assigned.length'), 1, again.text);
  for (let turn = 0; (await second.call('get_status')).at('tasks.0.attempt') !== 1 && turn < 100; turn += 1)
    await second.call('wait_for_workers', { timeout_s: 0.2 });
  assert.is((await second.call('get_status')).at('tasks.0.attempt'), 1);
});

test('QUE-1 a client that closes the connection has its agents ended, and their tasks free again', async () => {
  const repo = makeExecProject({ config: { queen: { ask_in_chat: ['plan'] } } });
  const chat = await openChat(repo, { form: () => 'accept' });
  await chat.call('create_tasks', { objective: 'Slow', tasks: [task('slow', { description: 'sleep 60' })] });
  await chat.close();
  const server = startServer(repo);
  server.say('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  });
  server.say('tools/call', { name: 'assign_task', arguments: {} });
  await untilSaid(server.child, /started on slow/);
  server.child.stdin.end();
  const code = await new Promise((resolve) => server.child.on('close', resolve));
  assert.is(code, 0);
  const after = await flame(repo, ['status', '--json']);
  assert.match(after.stdout, /"id":"slow".*"status":"pending"/, after.stdout);
});

function startServer(repo: TestRepo) {
  const child = spawn(process.execPath, [join(programFolder, 'git-flame'), 'mcp'], {
    cwd: repo.path,
    env: repo.env,
    stdio: 'pipe',
  });
  child.stdout.resume();
  let id = 0;
  const print = (method: string, params: object): void => {
    id += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  };
  return { child, say: print };
}

for (const isOld of [false, true]) {
  test(`QUE-1 a yes in a chat's form counts where the lead said so (${isOld ? 'old' : 'new'} revision)`, async () => {
    const asked: string[] = [];
    const form = (message: string) => {
      asked.push(message);
      return 'accept' as const;
    };
    const loose = makeExecProject({ config: { queen: { ask_in_chat: ['plan'] } } });
    const chat = await openChat(loose, { isOld, form });
    const created = await chat.call('create_tasks', { objective: 'x', tasks: [task('a')] });
    assert.is(created.at('plan'), 'approved', created.text);
    assert.match(asked.join('\n'), /id: a/);
    assert.match(chat.stderr(), /The lead agent may decide more than by default: a yes in the chat/);
  });
}

test('QUE-1 no form is shown where the lead said nothing, and a client without a person decides nothing by it', async () => {
  const asked: string[] = [];
  const form = (message: string) => {
    asked.push(message);
    return 'accept' as const;
  };
  const plain = await openChat(makeExecProject(), { form });
  const waits = await plain.call('create_tasks', { objective: 'x', tasks: [task('a')] });
  assert.equal([waits.at('plan'), asked.length], ['waits for the lead', 0], waits.text);
  assert.not.match(plain.stderr(), /The lead agent may decide more/);
  const silent = await openChat(makeExecProject({ config: { queen: { ask_in_chat: ['plan'] } } }), {
    form: () => 'decline',
  });
  const left = await silent.call('create_tasks', { objective: 'x', tasks: [task('a')] });
  assert.is(left.at('plan'), 'waits for the lead', left.text);
});

test.run();
