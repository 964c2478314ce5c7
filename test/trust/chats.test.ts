import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chatAround, noteChat, standsBetween } from '../../lib/trust/chats.ts';
import { ownIdentity, type ProcessIdentity } from '../../lib/util/process-identity.ts';
import { makeTempDir } from '../support/repo.ts';

/** A clone with a note of a chat, of a process like this one but for what is said. */
function noteOf(other: Partial<ProcessIdentity>): { readonly commonDir: string; readonly file: string } {
  const commonDir = makeTempDir();
  const folder = join(commonDir, 'blueflame/chats');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'queen-1');
  writeFileSync(file, JSON.stringify({ ...ownIdentity(), ...other }));
  return { commonDir, file };
}

const marked = { CLAUDECODE: '1' };

test('a server in another container is known by the mark in the environment alone', () => {
  const { commonDir, file } = noteOf({ namespace: 'pid:[1]', host: 'elsewhere' });
  assert.is(chatAround({ commonDir, env: marked }), "an agent's shell (CLAUDECODE is set)");
  assert.match(chatAround({ commonDir, env: { COPILOT_CLI: '1' } }) ?? '', 'COPILOT_CLI is set');
  assert.is(chatAround({ commonDir, env: {} }), null);
  assert.ok(existsSync(file));
});

test('a server in another container that has said nothing for long is gone; one that lives says so again and again', async () => {
  const { commonDir, file } = noteOf({ namespace: 'pid:[1]', host: 'elsewhere' });
  const [now, anHour] = [Date.now() / 1_000, 3_600];
  utimesSync(file, now - anHour + 60, now - anHour + 60);
  assert.is.not(chatAround({ commonDir, env: marked }), null);
  utimesSync(file, now - anHour - 60, now - anHour - 60);
  assert.is(chatAround({ commonDir, env: marked }), null);
  assert.not.ok(existsSync(file));
  const forget = noteChat({ commonDir }, 'queen-2', 5);
  const own = join(commonDir, 'blueflame/chats/queen-2');
  utimesSync(own, 0, 0);
  // Whoever took it for dead has removed it: it comes back.
  rmSync(own);
  for (let turn = 0; !existsSync(own) && turn < 2_000; turn += 1)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(statSync(own).mtimeMs > 0);
  forget();
});

test('what a dead server left counts no more, and is removed', () => {
  const { commonDir, file } = noteOf({ boot: 'before' });
  assert.is(chatAround({ commonDir, env: marked }), null);
  assert.not.ok(existsSync(file));
});

test("a chat's own server is no shell of its model", () => {
  const commonDir = makeTempDir();
  const forget = noteChat({ commonDir }, 'queen-1');
  assert.ok(existsSync(join(commonDir, 'blueflame/chats/queen-1')));
  assert.is(chatAround({ commonDir, env: marked }), null);
  forget();
  assert.not.ok(existsSync(join(commonDir, 'blueflame/chats/queen-1')));
});

test('between a server and its client are git, npm exec and shells with a command; a shell where one types is not', () => {
  const isBetween = (line: string): boolean => {
    const words = line.split(' ');
    return standsBetween({ name: words[0] ?? '', words });
  };
  for (const line of [
    'git flame mcp',
    '/bin/sh -c x',
    'dash -ec x',
    'bash -l -c x',
    'npm exec git-flame mcp',
  ])
    assert.ok(isBetween(line), line);
  for (const line of ['bash', '-bash', '/bin/sh -i', 'bash --init-file /etc/rc -i', 'claude -c', 'npm start'])
    assert.not.ok(isBetween(line), line);
});

test.run();
