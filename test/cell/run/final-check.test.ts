import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claudeEndHook } from '../../../lib/agents/claude-adapter.ts';
import { buildFinalCheckHookCommand, openFinalCheckSocket } from '../../../lib/cell/run/final-check-socket.ts';
import type { FinalCheckMessage } from '../../../lib/domain/ports/agent-port.ts';
import { packageRoot } from '../../../lib/util/user-folders.ts';
import { makeTempDir } from '../../support/repo.ts';

const bridge = join(packageRoot(), 'dist', 'bridge.cjs');

/** What the hook of a CLI comes to. */
async function hook(socket: string, report: string): Promise<{ readonly code: number; readonly printed: string }> {
  const child = spawn('sh', ['-c', buildFinalCheckHookCommand(bridge, socket)], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(report);
  const [code] = await once(child, 'close');
  return { code, printed };
}

const report = JSON.stringify({ hook_event_name: 'Stop', last_assistant_message: 'It is done.' });

async function opened(lastWord: (words: string, signal: AbortSignal) => Promise<FinalCheckMessage | null>) {
  const file = join(makeTempDir(), 'end.sock');
  const told: (readonly string[])[] = [];
  const door = await openFinalCheckSocket(
    { adapter: { end: claudeEndHook }, finalCheck: lastWord },
    { file, onObjections: (about) => void told.push(about) },
  );
  return { file, told, close: async () => door?.close() };
}

test('RND-5 it is asked with the last words, told once, and every later end is its end', async () => {
  const asked: string[] = [];
  const door = await opened(async (words) => {
    asked.push(words);
    return { message: 'Mend it.', about: ['it is bad'] };
  });
  assert.equal(await hook(door.file, report), {
    code: 0,
    printed: '{"decision":"block","reason":"Mend it."}\n',
  });
  assert.equal(await hook(door.file, report), { code: 0, printed: '' });
  assert.equal([asked, door.told], [['It is done.'], [['it is bad']]]);
  await door.close();
});

test('RND-5 whatever goes wrong with it lets the agent end', async () => {
  const rejected = await opened(async () => {
    throw new Error('broken');
  });
  assert.equal(await hook(rejected.file, report), { code: 0, printed: '' });
  assert.equal(rejected.told, []);
  await rejected.close();
  const gone = await hook(rejected.file, report);
  assert.equal([gone.code === 2, gone.printed], [false, ''], 'exit code 2 alone would hold it');
  const garbled = await opened(async (words) => (words === '' ? null : { message: words, about: [] }));
  assert.equal(await hook(garbled.file, 'no JSON'), { code: 0, printed: '' });
  await garbled.close();
  const closing: { close?: () => Promise<void> } = {};
  const closed = await opened(async () => {
    void closing.close?.();
    return new Promise(() => undefined);
  });
  closing.close = closed.close;
  assert.is((await hook(closed.file, report)).printed, '');
});

/** What is being found out until somebody says that it is over. */
function searching() {
  const heard: string[] = [];
  let begun: () => void = () => undefined;
  const begins = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const ask = async (_: string, signal: AbortSignal): Promise<FinalCheckMessage | null> => {
    begun();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    // It still has a worktree to remove.
    await new Promise((resolve) => setImmediate(resolve));
    heard.push('cleaned up');
    return { message: 'Mend it.', about: ['it is bad'] };
  };
  return { ask, begins, heard };
}

test('RND-5 what is being found out ends with its agent, and the end waits for that', async () => {
  const search = searching();
  const door = await opened(search.ask);
  const asking = hook(door.file, report);
  await search.begins;
  await door.close();
  assert.equal([search.heard, door.told], [['cleaned up'], []]);
  assert.is((await asking).printed, '');
});

test('RND-5 a report that is no hook own is not read to its end', async () => {
  let isAsked = false;
  const door = await opened(async () => {
    isAsked = true;
    return null;
  });
  assert.is((await hook(door.file, 'x'.repeat(3_000_000))).printed, '');
  assert.not.ok(isAsked);
  await door.close();
});

test.run();
