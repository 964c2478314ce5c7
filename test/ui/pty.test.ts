import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';

const driver = fileURLToPath(new URL('./pty-driver.js', import.meta.url));
const probe = spawnSync('script', ['-qec', 'true', '/dev/null'], { input: '' });
const testPty = testIf(test, probe.status === 0, 'script of util-linux is missing: no pseudo-terminal');

interface Answered {
  readonly code: number | null;
  readonly screen: string;
  readonly answers: unknown;
}

/** Runs the questions in a pseudo-terminal and types each answer once its question stands there. */
async function converse(
  turns: readonly (readonly [RegExp, string])[],
  options: { pager?: string } = {},
): Promise<Answered> {
  const folder = makeTempDir();
  const answersFile = join(folder, 'answers.json');
  const command = [process.execPath, driver, answersFile, options.pager ?? 'cat'].map((word) => `'${word}'`).join(' ');
  // exec: a shell in between would end with the Ctrl-C that is meant for the program.
  const child = spawn('script', ['-qec', `exec ${command}`, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', HOME: folder },
  });
  let [screen, seen, turn] = ['', 0, 0];
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    const [pattern, answer] = turns[turn] ?? [];
    const match = pattern === undefined ? null : pattern.exec(screen.slice(seen));
    if (match === null || answer === undefined) return;
    seen = screen.length;
    turn++;
    child.stdin.write(answer);
  });
  // A question that nobody answers would wait for ever.
  const watchdog = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(watchdog);
  const answers: unknown = existsSync(answersFile) ? JSON.parse(readFileSync(answersFile, 'utf8')) : null;
  return { code, screen, answers };
}

testPty('MRG-6: a person decides at a terminal', async () => {
  const { code, screen, answers } = await converse([
    [/\(s\)kip\? /, 'x\r'],
    [/\(s\)kip\? /, 'r\r'],
    [/Reason [(]Enter: back[)]: /, 'no testz\u007fs\r'],
    [/this work\? /, 'n\r'],
    [/\(s\)top\? /, 's\r'],
  ]);
  assert.is(code, 0, screen);
  // What is typed is shown once, also at the third question.
  assert.ok(screen.includes('no testz'));
  assert.is(screen.includes('nnoo') || screen.includes('ttee'), false, screen);
  assert.equal(answers, {
    isInteractive: true,
    changeset: { kind: 'reject', reason: 'no tests', where: 'terminal' },
    session: { kind: 'stop', where: 'terminal' },
  });
  assert.match(screen, /Type one of: a \(approve\), r \(reject\), t \(task\), v \(view\), c \(comment\), s \(skip\)\./);
  assert.match(screen, /\u001b\[1mChangeset 1\/3: \[auth\]/);
});

testPty('answers typed ahead are not lost', async () => {
  const { code, screen, answers } = await converse([[/\(s\)kip\? /, 'r\rno tests\rn\rc\r']]);
  assert.is(code, 0, screen);
  assert.equal(answers, {
    isInteractive: true,
    changeset: { kind: 'reject', reason: 'no tests', where: 'terminal' },
    session: { kind: 'continue', where: 'terminal' },
  });
});

testPty('MRG-6: the pager has the terminal, and Ctrl-C in it leaves the question standing', async () => {
  const pager = join(makeTempDir(), 'pager');
  // It shows everything and then stays until it's interrupted.
  writeFileSync(pager, '#!/bin/sh\ncat\necho "LESS=$LESS ready"\nexec tail -f /dev/null\n', { mode: 0o755 });
  const { code, screen, answers } = await converse(
    [
      [/\(s\)kip\? /, 'v\r'],
      [/LESS=FRX ready/, '\u0003'],
      [/\(s\)kip\? /, 'a\r'],
      [/\(s\)top\? /, 'c\r'],
    ],
    { pager },
  );
  assert.is(code, 0, screen);
  assert.equal(answers, {
    isInteractive: true,
    changeset: { kind: 'approve', where: 'terminal' },
    session: { kind: 'continue', where: 'terminal' },
  });
});

testPty('Ctrl-C at a question ends with 130', async () => {
  const { code, screen } = await converse([[/\(s\)kip\? /, '\u0003']]);
  assert.is(code, 130, screen);
  assert.match(screen, /Interrupted\./);
});

testPty('Ctrl-D at a question ends with 2 and names the flags', async () => {
  const { code, screen } = await converse([[/\(s\)kip\? /, '\u0004']]);
  assert.is(code, 2, screen);
  assert.match(screen, /git flame review --changeset auth --approve/);
});

test.run();
