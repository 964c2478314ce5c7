import { spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../../lib/util/user-folders.ts';
import { makeExecProject } from '../../support/exec-project.ts';
import { closeChats, openChat } from '../../support/mcp-client.ts';
import { programFolder } from '../../support/program.ts';
import { openRawChat } from '../../support/raw-chat.ts';
import { makeTempDir, openRepo, type TestRepo } from '../../support/repo.ts';

test.after(closeChats);

for (const isOld of [false, true]) {
  const revision = isOld ? '2025-11-25' : '2026-07-28';
  test(`CLI-1 a chat of revision ${revision} finds the tools, and looking leaves nothing behind`, async () => {
    const repo = makeExecProject();
    const chat = await openChat(repo, { isOld });
    const { tools } = await chat.client.listTools();
    assert.ok(tools.length <= 16, `${tools.length} tools`);
    const bytes = Buffer.byteLength(
      JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
    );
    assert.ok(bytes <= 7_000, `${bytes} bytes of definitions`);
    const whole = Buffer.byteLength(JSON.stringify(tools));
    assert.ok(whole <= 16_000, `${whole} bytes with what models are not shown`);
    assert.ok(tools.every(({ outputSchema }) => outputSchema?.type === 'object'));
    const page = readFileSync(join(packageRoot(), 'docs/chats.md'), 'utf8');
    const said = Number(/about ([\d,]+) tokens a request/.exec(page)?.[1]?.replace(',', ''));
    assert.ok(Math.abs(said - bytes / 4) <= said / 20, `docs/chats.md has ${said} tokens, they are ${bytes / 4}`);
    assert.equal(
      tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name),
      ['wait_for_workers', 'get_status', 'get_task_output', 'read_file', 'list_files', 'search_files'],
    );
    // Every tool that a description or an answer sends the model to is there.
    const names = new Set(tools.map(({ name }) => name));
    for (const { description = '' } of tools)
      for (const [word] of description.matchAll(/\b[a-z]+_(?:tasks?|workers|status|output|file|files|note)\b/g))
        assert.ok(names.has(word) || word === 'list_tasks', `${word} is no tool`);

    assert.is((await chat.call('get_status')).at('session'), null);
    assert.is((await chat.call('list_files')).at('entries.0'), 'README.md');
    assert.is((await chat.call('read_file', { path: 'src/a.txt' })).at('next_line'), null);
    assert.not(existsSync(join(repo.path, '.git/blueflame/locks')), 'a lock');
    assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
  });
}

test('QUE-1 files come from commits, page by page, and none that agents may not read', async () => {
  const repo = makeExecProject({ config: { permissions: { hidden_paths: ['secret/**', '.env'] } } });
  repo.write('long.txt', Array.from({ length: 1_000 }, (_, line) => `line ${line + 1}`).join('\n'));
  repo.write('wide.txt', 'x'.repeat(20_000));
  repo.write('secret/key.txt', 'not for agents');
  repo.write('odd.txt', 'a\u202eb\u200bc\u{e0041}\u001b[2J\n');
  writeFileSync(join(repo.path, 'binary.bin'), Buffer.from([0, 1, 2, 255]));
  symlinkSync('/etc/passwd', join(repo.path, 'link'));
  repo.commit('files');
  repo.write('untracked.txt', 'not in any commit');
  const chat = await openChat(repo);
  const read = (path: string, more: object = {}) => chat.call('read_file', { path, ...more });

  const first = await read('long.txt');
  assert.equal([first.at('next_line'), first.at('lines_in_all')], [401, 1_000]);
  const last = await read('./long.txt', { line: 801 });
  assert.equal([last.at('next_line'), String(last.at('text')).endsWith('line 1000\n')], [null, true]);
  assert.match(String((await read('wide.txt')).at('text')), /12000 more characters of this line are left out/);
  // Clients write structured content out by themselves: what is invisible is marked in the value.
  const odd = await read('odd.txt');
  assert.is(odd.at('text'), 'a⟦U+202E⟧b⟦U+200B⟧c⟦U+E0041⟧\u001b[2J\n');
  // Where it points, never what is there.
  assert.is((await read('link')).at('text'), '/etc/passwd\n');

  const codes = {
    '../outside': 'bad-path',
    '/etc/passwd': 'bad-path',
    'src/../../x': 'bad-path',
    'a\0b': 'bad-path',
    '.git/config': 'path-blocked',
    'SECRET/key.txt': 'path-blocked',
    'secret/key.txt': 'path-blocked',
    'binary.bin': 'not-text',
    src: 'is-folder',
    'untracked.txt': 'no-such-file',
  };
  for (const [path, code] of Object.entries(codes)) {
    const refused = await read(path);
    assert.equal([refused.isError, refused.at('error.code')], [true, code], `${path}: ${refused.text}`);
    assert.ok(refused.at('error.next.0'), `${path}: no next step`);
  }
  assert.is((await chat.call('list_files', { path: 'long.txt' })).at('error.code'), 'is-file');
  const unknown = await chat.call('read_file', { path: 'long.txt', force: true });
  assert.equal(
    [unknown.at('error.code'), unknown.at('error.details.0')],
    ['bad-input', 'input: Unrecognized key: "force"'],
  );
  const top = await chat.call('list_files');
  assert.not.match(top.text, /untracked|"secret/);
  assert.is(top.at('left_out'), 2, top.text);

  const search = (pattern: string, more: object = {}) => chat.call('search_files', { pattern, ...more });
  const found = await search('^line 99[0-9]$');
  assert.equal(
    [found.at('matches.length'), found.at('matches.0'), found.at('next_cursor')],
    [10, { path: 'long.txt', line: 990, text: 'line 990' }, null],
  );
  // At most 50 lines of a file.
  assert.is((await search('LINE', { ignore_case: true })).at('matches.length'), 50);
  assert.is((await search('LINE')).at('matches.length'), 0);
  assert.match(String((await search('x{50}')).at('matches.0.text')), /^x{299}…$/);
  const hidden = await search('not for agents|passwd|not in any');
  assert.equal([hidden.at('matches.length'), hidden.at('left_out')], [0, 1], hidden.text);
  const refusals = {
    'bad-pattern': await search('line ('),
    'path-blocked': await search('hidden', { path: 'secret' }),
    'bad-path': await search('x', { path: '../..' }),
  };
  for (const [code, { isError, text, at }] of Object.entries(refusals))
    assert.equal([isError, at('error.code')], [true, code], text);
  assert.is((await search('line 1$', { path: 'src' })).at('matches.length'), 0);
  assert.is((await search('--open-files-in-pager=id', { path: ':(top)' })).at('matches.length'), 0);
});

test('CLI-1 what is no repository, no tool, no input or no message is told, and the server stays', async () => {
  const nowhere = openRepo(makeTempDir('no-repository'));
  const lost = await openChat(nowhere);
  assert.is((await lost.client.listTools()).tools.length > 10, true);
  const refused = await lost.call('get_status');
  assert.equal([refused.isError, refused.at('error.code')], [true, 'not-a-repository'], refused.text);

  const chat = await openChat(makeExecProject());
  const unknown = await chat.client.callTool({ name: 'land', arguments: {} }).catch((error: Error) => error);
  assert.ok(unknown instanceof Error || unknown.isError);
  const huge = await chat.call('create_tasks', { tasks: [{ id: 'x', description: 'y'.repeat(10_000_000) }] });
  assert.is(huge.isError, true);
  assert.ok(huge.text.length < 40_000, `${huge.text.length} characters`);
  const early = await chat.call('get_task_output', { task_id: 'task-001' });
  assert.equal([early.isError, early.at('error.code')], [true, 'no-session']);
  for (const name of ['assign_task', 'complete', 'fail', 'approve_task']) {
    const words = { task_id: 'task-001', summary: 's', reason: 'r' };
    const called = await chat.call(name, words);
    assert.is(called.isError, true, name);
  }
  assert.is((await chat.call('get_status')).isError, false);
});

test('CLI-1 garbage, calls that are taken back and a client that dies are no trouble for the rest', async () => {
  const repo = makeExecProject();
  const server = startServer(repo);
  server.write('this is no JSON\n{"jsonrpc":"2.0"}\n[]\n{"jsonrpc":"2.0","id":{},"method":7}\n\0\n');
  // A revision nobody knows, older than any that is served: the server says which one it speaks.
  const greeting = await server.ask('initialize', {
    protocolVersion: '2024-01-01',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  });
  assert.match(JSON.stringify(greeting), /"protocolVersion":"20\d\d-\d\d-\d\d"/);
  assert.match(JSON.stringify(await server.ask('tools/land', {})), /"code":-32601/);
  assert.match(JSON.stringify(await server.ask('tools/call', { name: 7 })), /"error"/);
  const odd = await server.ask('tools/call', { name: 'read_file', arguments: { path: ['a'], line: 'x' } });
  assert.match(JSON.stringify(odd), /"isError":true/);
  // Taken back while it waits, and once more although it is over, as some clients do.
  const created = await server.ask('tools/call', {
    name: 'create_tasks',
    arguments: {
      objective: 'x',
      tasks: [{ id: 'a', title: 'A', description: 'true', file_locks: ['src/a.txt'] }],
    },
  });
  assert.match(JSON.stringify(created), /waits for the lead/);
  const first = { timeout_s: 45 };
  const news = await server.ask('tools/call', { name: 'wait_for_workers', arguments: first });
  const cursor = /\\"cursor\\":\\"(c\d+)\\"/.exec(JSON.stringify(news))?.[1] ?? '';
  const waiting = server.send('tools/call', { name: 'wait_for_workers', arguments: { ...first, cursor } });
  for (const _ of [1, 2]) server.notify('notifications/cancelled', { requestId: waiting, reason: 'late' });
  assert.match(JSON.stringify(await server.ask('tools/call', { name: 'get_status', arguments: {} })), /waits/);
  assert.not.ok(server.heard(waiting), 'an answer to a call that was taken back');
  // It dies in the middle of another.
  server.send('tools/call', { name: 'wait_for_workers', arguments: { ...first, cursor } });
  assert.is(await server.end(), 0);
});

test('QUE-1 a client that shows its model text and structured content both is given the text alone', async () => {
  const repo = makeExecProject();
  for (const revision of ['2025-11-25', '2026-07-28'])
    for (const client of ['copilot-cli', 'claude-code']) {
      const chat = await openRawChat({ cwd: repo.path, env: repo.env, client, revision });
      const listed = JSON.stringify(await chat.ask('tools/list'));
      const said = JSON.stringify(await chat.ask('tools/call', { name: 'get_status', arguments: {} }));
      await chat.end();
      const isBoth = client !== 'copilot-cli';
      assert.equal(
        [listed.includes('outputSchema'), said.includes('structuredContent'), said.includes('\\"session\\":null')],
        [isBoth, isBoth, true],
        `${client} ${revision}: ${said}`,
      );
    }
});

/** `git flame mcp`, spoken to in raw lines. */
function startServer(repo: TestRepo) {
  const child = spawn(process.execPath, [join(programFolder, 'git-flame'), 'mcp'], {
    cwd: repo.path,
    env: repo.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const answers = new Map<number, unknown>();
  const waiters = new Map<number, (answer: unknown) => void>();
  createInterface(child.stdout).on('line', (line) => {
    const answer: { readonly id?: number } = JSON.parse(line);
    if (answer.id === undefined) return;
    answers.set(answer.id, answer);
    waiters.get(answer.id)?.(answer);
  });
  let id = 0;
  const write = (text: string): void => void child.stdin.write(text);
  const send = (method: string, params: object): number => {
    id += 1;
    write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return id;
  };
  return {
    write,
    send,
    notify: (method: string, params: object) => write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`),
    ask: (method: string, params: object) =>
      new Promise<unknown>((resolve) => waiters.set(send(method, params), resolve)),
    heard: (of: number) => answers.has(of),
    end: () => {
      const over = new Promise<number | null>((resolve) => child.on('close', resolve));
      child.stdin.end();
      return over;
    },
  };
}

test.run();
