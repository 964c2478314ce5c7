import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { type RemoteLine, serveHttp } from '../../support/remote-lines.ts';
import { makeTempDir, type TestRepo } from '../../support/repo.ts';
import { change, makeClones, stateOf, sync, taskIn } from '../sync-clones.ts';
import { claim, openMachine } from './machine.ts';

interface Refusal {
  readonly name: string;
  readonly spoil: (remote: TestRepo) => void;
  readonly code: string;
  readonly message: RegExp;
  readonly hint: RegExp;
  /** A rule is one at once; what may pass is tried three times on the same tips. */
  readonly pushes: number;
  /** Who shares a session has seen more there than is left, and is told that. */
  readonly isReset?: boolean;
}

const tasks = 'refs/blueflame/tasks';
const refused = { code: 'remote-refuses-state', hint: /through another remote/ };

function hook(remote: TestRepo, name: string, script: string): void {
  writeFileSync(join(remote.path, 'hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A server that answers for refs itself, as the large hosts do: with a bare word. */
function answerItself(remote: TestRepo, word: string): void {
  remote.git('config', 'receive.procReceiveRefs', 'refs/blueflame');
  const node = `
const { readSync, writeSync } = require('node:fs');
const take = (count) => { const bytes = Buffer.alloc(count); let at = 0; while (at < count) at += readSync(0, bytes, at, count - at); return bytes.toString(); };
const packet = () => { const size = parseInt(take(4), 16); return size <= 4 ? null : take(size - 4); };
const say = (text) => writeSync(1, text === null ? '0000' : (text.length + 4).toString(16).padStart(4, '0') + text);
while (packet() !== null);
say('version=1\\n'); say(null);
const refs = []; for (let line = packet(); line !== null; line = packet()) refs.push(line.trim().split(' ')[2]);
for (const ref of refs) say('ng ' + ref + ' ${word}\\n'); say(null);`;
  const file = join(remote.path, 'answer.cjs');
  writeFileSync(file, node);
  hook(remote, 'proc-receive', `exec '${process.execPath}' '${file}'`);
}

const refusals: readonly Refusal[] = [
  {
    name: 'a lock that was left over',
    spoil: (remote) => writeFileSync(join(remote.path, `${tasks}.lock`), ''),
    ...refused,
    message: /^origin rejects refs\/blueflame\/tasks: cannot lock ref .*tasks\.lock': File exists/,
    hint: /remove the lock there: .*tasks\.lock$/,
    pushes: 3,
  },
  {
    name: 'a ref in the way',
    spoil: (remote) => {
      const tip = remote.git('rev-parse', tasks);
      remote.git('update-ref', '-d', tasks);
      remote.git('update-ref', `${tasks}/old`, tip);
    },
    ...refused,
    message: /^origin rejects refs\/blueflame\/tasks: .*'refs\/blueflame\/tasks\/old' exists/,
    hint: /^Delete the ref that is in its place: git push origin :refs\/blueflame\/tasks\/old$/,
    pushes: 3,
    isReset: true,
  },
  {
    name: 'a directory in the way',
    spoil: (remote) => {
      remote.git('pack-refs', '--all');
      mkdirSync(join(remote.path, tasks));
      writeFileSync(join(remote.path, tasks, '.keep'), '');
    },
    ...refused,
    message: /^origin rejects refs\/blueflame\/tasks: couldn't set/,
    hint: /See what is in its place/,
    pushes: 3,
  },
  {
    name: 'a ref that is protected',
    spoil: (remote) =>
      hook(remote, 'update', `[ "$1" != ${tasks} ] || { echo 'GH006: Protected ref update failed'; exit 1; }`),
    ...refused,
    message: /^origin rejects refs\/blueflame\/tasks: hook declined/,
    pushes: 1,
  },
  {
    name: 'a host that takes heads and tags alone',
    spoil: (remote) =>
      hook(
        remote,
        'pre-receive',
        'while read -r old new ref; do case $ref in refs/heads/*|refs/tags/*) ;; *) echo "only branches and tags"; exit 1;; esac; done',
      ),
    ...refused,
    message: /^origin rejects refs\/blueflame\/\w+: pre-receive hook declined/,
    pushes: 1,
  },
  {
    name: 'a host that hides them',
    spoil: (remote) => remote.git('config', 'receive.hideRefs', 'refs/blueflame'),
    ...refused,
    message: /^origin rejects refs\/blueflame\/tasks: deny updating a hidden ref/,
    pushes: 1,
  },
  {
    name: "a host's plain (failed)",
    spoil: (remote) => answerItself(remote, 'failed'),
    ...refused,
    message: /^origin rejects refs\/blueflame\/\w+: failed/,
    pushes: 3,
  },
  {
    name: 'a host without atomic pushes',
    spoil: (remote) => remote.git('config', 'receive.advertiseAtomic', 'false'),
    code: 'remote-not-atomic',
    message: /^origin does not support atomic pushes/,
    hint: /git flame run --remote REMOTE/,
    pushes: 1,
  },
];

type Way = 'by path' | 'by http';

const lines: RemoteLine[] = [];
test.after(() => {
  for (const line of lines) line.close();
});

/** Has a clone reach its remote so; counts, from then on, what it asks the server to take. */
async function reach(way: Way, repo: TestRepo, remote: TestRepo): Promise<() => () => number> {
  if (way === 'by path') return () => countPushes(repo);
  let asked = 0;
  const line = await serveHttp(remote.path, null, (address) => {
    if (address.includes('service=git-receive-pack')) asked += 1;
    return null;
  });
  lines.push(line);
  repo.git('remote', 'set-url', 'origin', line.url('127.0.0.1'));
  return () => {
    const before = asked;
    return () => asked - before;
  };
}

/** Counts what a clone asks a server to take. */
function countPushes(repo: TestRepo): () => number {
  const folder = makeTempDir('flame-count');
  const [log, program] = [join(folder, 'log'), join(folder, 'receive-pack')];
  writeFileSync(log, '');
  writeFileSync(program, `#!/bin/sh\necho push >>'${log}'\nexec git-receive-pack "$@"\n`, { mode: 0o755 });
  repo.git('config', 'remote.origin.receivepack', program);
  return () => readFileSync(log, 'utf8').split('\n').length - 1;
}

async function isTold(way: Way, { name, spoil, code, message, hint, pushes }: Refusal): Promise<void> {
  const { remote, clones } = await makeClones(['task-001']);
  const startCount = await reach(way, clones[0], remote);
  const machine = await openMachine(clones[0], 'host/a');
  await machine.remoteSession.exchangeNow();
  spoil(remote);
  const [count, before] = [startCount(), stateOf(remote)];
  const began = performance.now();
  const error = await claim(machine, 'task-001', 'worker-0000000a').catch((caught: unknown) => caught);
  if (process.env.FLAME_TEST_TIMES === '1')
    process.stdout.write(`${name}: ${Math.round(performance.now() - began)} ms, ${count()} pushes\n`);
  await machine.close();
  assert.instance(error, FlameError);
  if (!(error instanceof FlameError)) return;
  assert.equal([error.code, count()], [code, pushes], error.message);
  assert.match(error.message, message);
  assert.match(error.hints[0] ?? '', hint);
  assert.not.match(`${error.message} ${error.hints[0]}`, /merged and complete|sync REMOTE/);
  assert.is(stateOf(remote), before);
  assert.is((await taskIn(clones[0], 'task-001')).status, 'pending');
}

for (const refusal of refusals) {
  if (refusal.isReset === true) continue;
  test(`${refusal.name} is told as what it is to a machine that shares a session, and nothing counts here`, async () => {
    for (const way of ['by path', 'by http'] as const) await isTold(way, refusal);
  });
}

test('the same refusals are told to a sync; a host without atomic pushes is served by it', async () => {
  for (const { name, spoil, code, message, hint, pushes } of refusals) {
    const { remote, clones } = await makeClones(['task-001']);
    await change(clones[0], 'task-001', { title: 'from a' });
    spoil(remote);
    const count = countPushes(clones[0]);
    const began = performance.now();
    const error = await sync(clones[0]).catch((caught: unknown) => caught);
    if (process.env.FLAME_TEST_TIMES === '1')
      process.stdout.write(`sync, ${name}: ${Math.round(performance.now() - began)} ms, ${count()} pushes\n`);
    if (code === 'remote-not-atomic') {
      assert.is(stateOf(clones[0]), stateOf(remote), String(error));
      continue;
    }
    assert.instance(error, FlameError, name);
    if (!(error instanceof FlameError)) continue;
    assert.equal([error.code, count()], [code, pushes], `${name}: ${error.message}`);
    assert.match(error.message, message);
    assert.match(error.hints[0] ?? '', hint);
  }
});

test('a lock that is gone at the second try, and a ref that moved meanwhile, are no refusals', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const lock = join(remote.path, `${tasks}.lock`);
  // As a push that is going on does: it holds the lock, and is done.
  hook(remote, 'update', `[ -e "$GIT_DIR/seen" ] && rm -f "$GIT_DIR/${tasks}.lock"; : >"$GIT_DIR/seen"`);
  writeFileSync(lock, '');
  const machine = await openMachine(clones[0], 'host/a');
  assert.is(await claim(machine, 'task-001', 'worker-0000000a'), true);
  // Others are first, more often than a refusal is believed: each time the ref is elsewhere.
  const other = await openMachine(clones[1], 'host/b');
  await other.remoteSession.exchangeNow();
  rmSync(join(remote.path, 'hooks/update'));
  const script = `n=$(cat "$GIT_DIR/races" 2>/dev/null || echo 0); [ "$n" -ge 5 ] && exit 0
echo $((n + 1)) >"$GIT_DIR/races"
while read -r old new ref; do [ "$ref" = ${tasks} ] || continue
next=$(git commit-tree "$ref^{tree}" -p "$ref" -m race) && git update-ref "$ref" "$next"; done`;
  hook(
    remote,
    'pre-receive',
    `unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n${script}`,
  );
  assert.is(await claim(other, 'task-002', 'worker-0000000b'), true);
  await Promise.all([machine.close(), other.close()]);
  assert.is(readFileSync(join(remote.path, 'races'), 'utf8').trim(), '5');
  assert.is(stateOf(clones[1]), stateOf(remote));
});

test.run();
