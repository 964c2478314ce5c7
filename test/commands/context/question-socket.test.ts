import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readJsonLines, writeJsonLine } from '../../../lib/commands/questions/question-clients.ts';
import { openQuestionSocket } from '../../../lib/commands/questions/question-socket.ts';
import { prepareBudgetQuestion } from '../../../lib/ui/questions/prepare-run-questions.ts';
import { QuestionQueue } from '../../../lib/ui/questions/question-queue.ts';
import { readProcessIdentity } from '../../../lib/util/process-identity.ts';
import { cloneStateDir } from '../../../lib/util/user-folders.ts';
import { makeTempDir } from '../../support/repo.ts';

interface Door {
  readonly commonDir: string;
  readonly desk: QuestionQueue;
  /** The folder of the door. */
  readonly folder: string;
  readonly path: string;
}

/** A door with a question behind it. */
async function withDoor(
  work: (door: Door) => Promise<void>,
  { desk = new QuestionQueue(), state = makeTempDir() } = {},
): Promise<void> {
  const commonDir = makeTempDir();
  const door = await openQuestionSocket({ commonDir, env: { XDG_STATE_HOME: state }, line: desk });
  desk.post(prepareBudgetQuestion({ spent: 5, limit: 5, unit: 'usd' }), {
    person: 'Lea <lea@example.com>',
    session: null,
  });
  const root = join(commonDir, 'blueflame/run');
  const folder = join(root, readdirSync(root).find((name) => name.startsWith('door-')) ?? '');
  try {
    await work({ commonDir, desk, folder, path: readFileSync(join(folder, 'door'), 'utf8') });
  } finally {
    await door.close();
  }
}

type Heard = {
  readonly proof?: string;
  readonly n?: number;
  readonly text?: string;
  readonly error?: { readonly code: string };
};

/** Comes in as this process, and asks; null: the connection ended. */
async function visit(path: string, question: object): Promise<Heard | null> {
  const socket = connect(path);
  try {
    return await new Promise<Heard | null>((resolve) => {
      socket.on('close', () => resolve(null));
      readJsonLines(socket, (value) => {
        const heard = value as Heard;
        if (heard.n !== undefined) return resolve(heard);
        if (heard.proof === undefined) return writeJsonLine(socket, { n: 1, ...question });
        openSync(heard.proof, 'r');
        writeJsonLine(socket, { pid: process.pid });
      });
    });
  } finally {
    socket.destroy();
  }
}

function ended(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.on('close', resolve);
    socket.resume();
  });
}

class BrokenDesk extends QuestionQueue {
  override async text(): Promise<string | null> {
    throw new Error('git was killed');
  }
}

test('DSK-1: what goes wrong for one who comes in is told to them, and the run goes on', async () => {
  await withDoor(
    async ({ desk, folder, path }) => {
      const gate = desk.read().open?.id ?? '';
      const heard = await visit(path, { text: { gate, what: 'diff' } });
      assert.is(heard?.error?.code, 'answer-failed');
      rmSync(join(folder, 'control'), { recursive: true });
      await ended(connect(path));
      assert.is(desk.read().open?.id, gate);
    },
    { desk: new BrokenDesk() },
  );
});

/** What a process does that comes in: says so, and answers once its stdin ends. */
const visitor = `
const { connect, Socket } = require('node:net');
const { openSync } = require('node:fs');
const { spawn } = require('node:child_process');
const [path, how] = process.argv.slice(1);
const answer = (socket, gate) => {
  let told = '';
  socket.on('data', (chunk) => {
    told += chunk;
    if (told.includes('{"n":1')) process.stdout.write(told, () => process.exit());
  });
  socket.on('close', () => process.exit());
  socket.write(JSON.stringify({ n: 1, answer: { gate, answer: { kind: 'stop' }, where: 'board' } }) + '\\n');
};
const whenOver = (act) => process.stdin.resume().on('end', act);
if (how === 'child') whenOver(() => answer(new Socket({ fd: 3 }), process.argv[3]));
else {
  const socket = connect(path);
  let text = '';
  const hear = (chunk) => {
    text += chunk;
    if (!text.endsWith('\\n')) return;
    const { proof, state } = JSON.parse(text);
    text = '';
    if (proof !== undefined) {
      openSync(proof, 'r');
      socket.write(JSON.stringify({ pid: process.pid }) + '\\n');
      return;
    }
    socket.off('data', hear);
    const gate = state.open.id;
    console.log('came in');
    if (how === 'itself') return whenOver(() => answer(socket, gate));
    const args = ['-e', process.env.VISITOR, '--', path, 'child', gate];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 1, 2, socket], detached: true });
    child.on('spawn', () => process.exit());
  };
  socket.on('data', hear);
}`;

function startVisitor(path: string, how: 'itself' | 'by-child', env: NodeJS.ProcessEnv = {}): ChildProcess {
  const args = ['-e', visitor, '--', path, how];
  return spawn(process.execPath, args, {
    env: { ...env, VISITOR: visitor },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** What it was answered, once it and its children are over. */
async function outcome(child: ChildProcess, onceIn: () => void = () => undefined): Promise<string> {
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    if (said === '') {
      onceIn();
      child.stdin?.end();
    }
    said += chunk.toString();
  });
  await new Promise((resolve) => child.on('close', resolve));
  return said.slice('came in\n'.length);
}

test('an answer by a connection that a process left to its child is none', async () => {
  await withDoor(async ({ desk, path }) => {
    const gate = desk.read().open?.id;
    assert.match(await outcome(startVisitor(path, 'by-child')), '"code":"opened-by-another"');
    assert.is(desk.read().open?.id, gate);
    assert.match(await outcome(startVisitor(path, 'itself')), /^\{"n":1\}$/m);
    assert.is(desk.read().open, null);
  });
});

test('QUE-1 who carries the mark of an agent answers nothing, without any chat that is connected', async () => {
  await withDoor(async ({ desk, path }) => {
    assert.match(await outcome(startVisitor(path, 'itself', { CLAUDECODE: '1' })), '"code":"typed-in-chat"');
    assert.is.not(desk.read().open, null);
  });
});

test('QUE-1 a run knows a chat that it saw, also once its note is gone', async () => {
  const state = makeTempDir();
  await withDoor(
    async ({ commonDir, desk, path }) => {
      const folder = join(cloneStateDir({ XDG_STATE_HOME: state }, commonDir), 'chats');
      mkdirSync(folder, { recursive: true });
      const inChat = startVisitor(path, 'itself');
      writeFileSync(join(folder, 'a-chat'), JSON.stringify(readProcessIdentity(inChat.pid ?? 0)));
      const heard = await outcome(inChat, () => rmSync(folder, { recursive: true }));
      assert.match(heard, '"code":"typed-in-chat"');
      assert.is.not(desk.read().open, null);
    },
    { state },
  );
});

test('DSK-1: a run may answer in a long line, and hears none', async () => {
  const long = 'x'.repeat(5_000_000);
  class LongDesk extends QuestionQueue {
    override async text(): Promise<string | null> {
      return long;
    }
  }
  await withDoor(
    async ({ desk, path }) => {
      const gate = desk.read().open?.id ?? '';
      assert.is((await visit(path, { text: { gate, what: 'plan' } }))?.text?.length, long.length);
      assert.is(await visit(path, { answer: { gate, answer: long, where: 'board' } }), null);
      assert.is(desk.read().open?.id, gate);
    },
    { desk: new LongDesk() },
  );
});

test.run();
