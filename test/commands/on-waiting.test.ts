import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { withBoard } from '../support/board.ts';
import { makeExecProject, writePlan } from '../support/exec-project.ts';
import { answerGate, nextGate } from '../support/gates.ts';
import { programEnd, programFolder, startProgram } from '../support/program.ts';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { hasTmux, openTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const has = (program: string): boolean => spawnSync('which', [program]).status === 0;

/** The recipes as docs/scripts.md has them. */
const recipes = [
  ...readFileSync(join(packageRoot(), 'docs/scripts.md'), 'utf8').matchAll(/```yaml\n(hooks:\n[\s\S]*?)```/g),
].map(([, text = '']): string => parse(text).hooks.on_waiting);
const recipe = (program: string): string => {
  const found = recipes.find((one) => one.includes(program));
  if (found === undefined) throw new Error(`no recipe with ${program}`);
  return found;
};

function project(hook: string): { readonly repo: TestRepo; readonly argv: readonly string[] } {
  const repo = makeExecProject({ config: { hooks: { on_waiting: hook, timeout: '30m' } } });
  const plan = writePlan(repo, [{ id: 'one', script: 'true', locks: ['one.txt'] }]);
  return { repo, argv: ['run', 'Count "all" $(words)', '--from', plan] };
}

const message = 'The plan waits for you: Count "all" $(words)';

test('HKS: the recipe for the desktop shows what waits, as one argument', async () => {
  const { repo, argv } = project(recipe('notify-send'));
  const folder = makeTempDir();
  const program = join(folder, 'notify-send');
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/said'\n`);
  chmodSync(program, 0o755);
  const env = { PATH: `${folder}:${programFolder}:${repo.env.PATH ?? ''}` };
  const { code, stderr } = await programEnd(startProgram(repo, argv, { env }));
  assert.is(code, 2, stderr);
  assert.is(readFileSync(join(folder, 'said'), 'utf8'), `git flame\n${message}\n`);
});

testIf(
  test,
  has('curl'),
  'curl is not installed',
)('HKS: the recipe for a push service sends what waits', async () => {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      heard.push(`${request.method} ${request.url} ${body}`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { repo, argv } = project(recipe('curl').replace('https://push.example', `http://127.0.0.1:${port}`));
  const { code, stderr } = await programEnd(startProgram(repo, argv));
  server.close();
  assert.is(code, 2, stderr);
  assert.equal(heard, [`POST /your-topic ${message}`]);
});

testIf(
  test,
  has('script'),
  'script of util-linux is missing',
)('HKS: the recipe for a bell rings at the terminal that asks', async () => {
  const { repo, argv } = project(recipe('FLAME_TTY'));
  const line = [join(programFolder, 'git-flame'), ...argv].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `exec ${line}`, '/dev/null'], {
    ...{ cwd: repo.path, env: { ...repo.env, TERM: 'xterm' } },
  });
  let screen = '';
  let isAnswered = false;
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    if (isAnswered || !screen.includes('\u0007') || !screen.includes('(q)uit?')) return;
    isAnswered = true;
    child.stdin.write('q\ry\r');
  });
  await new Promise((resolve) => child.on('close', resolve));
  assert.match(screen, '\u0007');
});

test('HKS: a program that hangs holds up no answer, and is ended with all it started', async () => {
  const { repo, argv } = project('sleep 600 & echo $! > .git/sleeper; wait');
  await withBoard(
    repo,
    async (board) => {
      const ended = programEnd(board.child);
      const plan = await nextGate(board, 'plan');
      const sleeper = join(repo.path, '.git/sleeper');
      await until('the program hangs', () => existsSync(sleeper) && readFileSync(sleeper, 'utf8').endsWith('\n'));
      assert.is(await answerGate(board, plan, { kind: 'quit' }), '');
      const { code, stderr } = await ended;
      assert.is(code, 0, stderr);
      assert.not.match(stderr, 'on_waiting');
      assert.is(stateOf(readFileSync(sleeper, 'utf8').trim()), 'gone');
    },
    [...argv, '--web', '--no-open'],
  );
});

testIf(
  test,
  hasTmux,
  'tmux is not installed',
)('HKS: a program that hangs ends with its run where the terminal is closed', async () => {
  const { repo, argv } = project('sleep 600 & echo $! > .git/sleeper; wait');
  const terminal = openTerminal(repo);
  const sleeper = join(repo.path, '.git/sleeper');
  try {
    terminal.type(`git flame ${argv.map((word) => `'${word}'`).join(' ')}`, 'Enter');
    await terminal.until(/\(q\)uit\?/);
    await until('the program hangs', () => existsSync(sleeper) && readFileSync(sleeper, 'utf8').endsWith('\n'));
  } finally {
    terminal.close();
  }
  await until('it is gone', () => stateOf(readFileSync(sleeper, 'utf8').trim()) === 'gone');
});

/** The letter of a process in /proc; one that nobody waits for yet is gone, too. */
function stateOf(pid: string): string {
  const stat = `/proc/${pid}/stat`;
  const state = existsSync(stat) ? (readFileSync(stat, 'utf8').split(' ')[2] ?? '') : 'gone';
  return state === 'Z' ? 'gone' : state;
}

test.run();
