import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { untilNews } from '../../support/led-tasks.ts';
import { type ChatClient, closeChats, openChat } from '../../support/mcp-client.ts';
import { programFolder } from '../../support/program.ts';
import { openRawChat } from '../../support/raw-chat.ts';
import type { TestRepo } from '../../support/repo.ts';

// Clients that give up too early, say too much at once, or bring a thousand tasks. Where the rest of what may go wrong is
// tried: inputs of 10 MB, unknown tools and fields, calls before a session, garbage, cancelled calls, old revisions, paths out
// of the repository, symbolic links, binary files, invisible characters: `looking`; unknown ids, calls after the work was
// handed over, two that lead: `leading`, `advice`; circles, locks outside of what agents may write, a thousand at once, text that
// tells her to approve: `hostile-queen`; locks on protected places: `plan/protected-locks`; sudden death: `led-killed`.

test.after(closeChats);

const task = (id: string, more: object = {}): object => ({
  id,
  title: `Do ${id}`,
  description: `echo ${id} > src/new-${id}.txt`,
  file_locks: [`src/new-${id}.txt`],
  ...more,
});

/** A call that the client takes for lost at once; it says so to the server. */
async function lose(chat: ChatClient, name: string, words: object = {}): Promise<void> {
  const given = { name, arguments: { ...words } };
  const lost = new AbortController();
  const end = chat.client.callTool(given, { signal: lost.signal }).then(
    () => 'answered',
    () => 'lost',
  );
  // It is on its way by then; no answer can be.
  setImmediate(() => lost.abort());
  assert.is(await end, 'lost');
}

async function approvePlan(repo: TestRepo): Promise<void> {
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const run = await flame(repo, ['plan', '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
}

function subjects(repo: TestRepo, ref: string, what: RegExp): number {
  const all = repo.git('log', '--format=%s', `refs/blueflame/${ref}`).split('\n');
  return all.filter((line) => what.test(line)).length;
}

test('QUE-1 a client that gives up each call at first, and asks again, has nothing done twice', async () => {
  const repo = makeExecProject();
  const chat = await openChat(repo);
  const twice = async (name: string, words: object = {}) => {
    await lose(chat, name, words);
    const said = await chat.call(name, { ...words });
    assert.is(said.isError, false, `${name}: ${said.text}`);
    return said;
  };
  await twice('create_tasks', { objective: 'Two', tasks: [task('one'), task('two')] });
  await twice('leave_note', { text: 'Be quick' });
  const status = await chat.call('get_status');
  assert.is(status.at('proposed_in_all'), 2, status.text);
  await approvePlan(repo);
  await twice('assign_task');
  // What a lost wait would have told, the next one with the same cursor tells.
  await lose(chat, 'wait_for_workers', { timeout_s: 45 });
  await untilNews(
    (name, words) => chat.call(name, words),
    ({ verdicts }) => verdicts === 2,
  );
  const back = await twice('reject_task', { task_id: 'two', feedback: 'Once more' });
  assert.equal([back.at('rejected'), back.at('changed')], ['two', false], back.text);
  await chat.call('assign_task');
  await untilNews(
    (name, words) => chat.call(name, words),
    ({ verdicts }) => verdicts === 2,
  );
  for (const id of ['one', 'two']) await twice('approve_task', { task_id: id });
  const handed = await twice('complete', { summary: 'Both' });
  assert.is(handed.at('changesets.length'), 1, handed.text);

  assert.is(repo.git('ls-tree', '--name-only', 'refs/blueflame/sessions:anchors').split('\n').length, 1);
  assert.is(subjects(repo, 'tasks', /^one: pending -> claimed/), 1);
  assert.is(subjects(repo, 'tasks', /^two: pending -> claimed/), 2);
  assert.is(subjects(repo, 'sessions', /handed over by/), 1);
  assert.is(JSON.parse((await flame(repo, ['note', '--json'])).stdout).notes.length, 1);
});

test('QUE-1 a client that takes every call for lost after 30 s hears each wait that names no time, and a proposed task is known as one', async () => {
  const repo = makeExecProject();
  const chat = await openChat(repo);
  const { tools } = await chat.client.listTools();
  const wait = tools.find(({ name }) => name === 'wait_for_workers');
  const given = JSON.stringify(wait?.inputSchema.properties?.timeout_s);
  assert.ok(Number(JSON.parse(given).default) < 30, given);
  await chat.call('create_tasks', { objective: 'One', tasks: [task('one')] });
  assert.is((await chat.call('get_task_output', { task_id: 'one' })).at('error.code'), 'plan-not-approved');
});

test('QUE-2 where the server of a chat is killed while an agent works, another chat leads on, and one agent works', async () => {
  const repo = makeExecProject();
  const first = await openRawChat({ cwd: repo.path, env: repo.env });
  const ask = (name: string, words: object = {}) =>
    first.ask('tools/call', { name, arguments: { ...words } }).then((said) => JSON.stringify(said));
  await ask('create_tasks', { objective: 'One', tasks: [task('one', { description: 'sleep 60' })] });
  await approvePlan(repo);
  await ask('assign_task');
  const claims = () => subjects(repo, 'tasks', /^one: pending -> claimed/);
  for (let turn = 0; claims() === 0 && turn < 200; turn += 1) await ask('get_status');
  assert.is(claims(), 1);
  await first.end('kill');
  const second = await openChat(repo);
  assert.equal((await second.call('assign_task')).at('assigned'), ['one']);
  for (let turn = 0; claims() === 1 && turn < 200; turn += 1) await second.call('wait_for_workers', { timeout_s: 1 });
  assert.is(claims(), 2);
  // The dead one's claim went back, and its agent works no more: there is one.
  const agents = async (): Promise<number> =>
    JSON.parse((await flame(repo, ['status', '--json'])).stdout).agents.length;
  for (let turn = 0; (await agents()) === 0 && turn < 200; turn += 1)
    await second.call('wait_for_workers', { timeout_s: 1 });
  assert.is(await agents(), 1);
});

test('CLI-1 a message above 16 MB ends the connection in order, and changes nothing', async () => {
  const repo = makeExecProject();
  const child = spawn(process.execPath, [join(programFolder, 'git-flame'), 'mcp'], {
    cwd: repo.path,
    env: repo.env,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  child.stdin.on('error', () => undefined);
  const over = once(child, 'close');
  const words = { objective: 'x'.repeat(17 * 1024 * 1024) };
  const params = { name: 'create_tasks', arguments: words };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  assert.equal(await over, [0, null], told);
  assert.match(told, /git flame mcp: .*(?:buffer|size|large|exceed)/i);
  assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
});

test('QUE-1 a thousand tasks come in parts, are told in pages, and one more is refused', async () => {
  const repo = makeExecProject({ config: { queen: { max_tasks: 1_000 } } });
  const chat = await openChat(repo);
  for (let part = 0; part < 10; part += 1) {
    const tasks = Array.from({ length: 100 }, (_, index) => task(`t-${part}-${index}`));
    const said = await chat.call('create_tasks', { ...(part === 0 ? { objective: 'Many' } : {}), tasks });
    assert.is(said.at('waiting'), (part + 1) * 100, said.text.slice(0, 500));
  }
  const seen = new Set<unknown>();
  for (let cursor: unknown = 0; typeof cursor === 'number'; ) {
    const page = await chat.call('get_status', { cursor });
    const planned = page.at('proposed');
    for (const { id } of Array.isArray(planned) ? planned : []) seen.add(id);
    cursor = page.at('next_cursor');
  }
  assert.is(seen.size, 1_000);
  const more = await chat.call('create_tasks', { tasks: [task('one-more')] });
  assert.equal([more.isError, more.at('error.code')], [true, 'too-many-tasks'], more.text);
  await approvePlan(repo);
  const known = await chat.call('wait_for_workers', { timeout_s: 0 });
  assert.equal([known.at('news.length'), known.at('more_news')], [40, 962], known.text.slice(0, 500));
});

test.run();
