import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ownIdentity } from '../../../lib/util/process-identity.ts';
import { boardAddress, type TestBoard, visitBoard, withBoard } from '../../support/board.ts';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { answerGate, nextGate } from '../../support/gates.ts';
import { programEnd, startProgram } from '../../support/program.ts';
import type { TestRepo } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';
import { hasTmux, openTerminal } from '../../support/terminal.ts';

const tasks = ['one', 'two'].map((name) => ({
  id: name,
  script: `echo 1 > ${name}.txt`,
  locks: [`${name}.txt`],
  group: name,
}));

/** Works with a run that serves a board of its own, and with another process's board. */
async function withFarBoard(
  work: (both: { readonly repo: TestRepo; readonly own: TestBoard; readonly far: TestBoard }) => Promise<void>,
): Promise<void> {
  const repo = makeExecProject();
  const argv = ['run', 'Count', '--from', writePlan(repo, tasks), '--web', '--no-open'];
  await withBoard(repo, (own) => withBoard(repo, (far) => work({ repo, own, far })), argv);
}

/** The socket of the run that asks. */
function doorOf(repo: TestRepo): string {
  const root = join(repo.path, '.git/blueflame/run');
  const [name] = readdirSync(root).filter((one) => one.startsWith('door-'));
  return readFileSync(join(root, name ?? '', 'door'), 'utf8');
}

test('DSK-1: a board of another process answers, and each shows what the other decided', async () => {
  await withFarBoard(async ({ own, far }) => {
    const ended = programEnd(own.child);
    const plan = await nextGate(far, 'plan');
    assert.equal((await far.ask(`/api/gate/${plan.id}/plan`)).status, 200);
    assert.match(await answerGate(far, plan, { kind: 'raise', amount: 1 }), '409 This is not an answer');
    assert.is(await answerGate(far, plan, { kind: 'approve' }), '');
    const seen = await own.until(({ decided }) => decided.length === 1);
    assert.equal([seen.decided[0]?.answer, seen.decided[0]?.where], ['approved', 'board']);
    const first = await nextGate(own, 'changesets');
    assert.is(await answerGate(own, first, { kind: 'reject', reason: 'Too early.' }), '');
    await far.until(({ decided }) => decided[0]?.answer === 'sent back: Too early.');
    assert.match(await answerGate(far, first, { kind: 'approve' }), 'was already decided on the board by');
    const second = await nextGate(far, 'changesets', first.id);
    assert.is(await answerGate(far, second, { kind: 'approve' }), '');
    const session = await nextGate(far, 'session');
    assert.is(await answerGate(far, session, { kind: 'stop' }), '');
    const { code, stderr } = await ended;
    assert.is(code, 0, stderr);
    assert.match(await answerGate(far, session, { kind: 'stop' }), 'the run that asked has ended');
  });
});

test('DSK-1: where the run was killed its question is gone, and the command that asks it again is said', async () => {
  await withFarBoard(async ({ repo, own, far }) => {
    const plan = await nextGate(far, 'plan');
    own.child.kill('SIGKILL');
    const after = await far.until(({ gate, session }) => gate === null && session?.next != null);
    assert.is(after.session?.next, 'git flame plan');
    assert.match(
      await answerGate(far, plan, { kind: 'approve' }),
      'the run that asked has ended.\nIn a terminal: git flame plan',
    );
    // What it left is no door; the next run opens its own.
    const child = startProgram(repo, ['run', '--web', '--no-open']);
    const ended = programEnd(child);
    await boardAddress(child);
    const again = await nextGate(far, 'plan');
    assert.is.not(again.id, plan.id);
    assert.is(await answerGate(far, again, { kind: 'quit' }), '');
    assert.is((await ended).code, 0);
  });
});

test('the way in is for the person alone: not for who says to be another process, nor for a chat', async () => {
  await withFarBoard(async ({ repo, far }) => {
    const plan = await nextGate(far, 'plan');
    const door = doorOf(repo);
    assert.is(statSync(door).mode & 0o777, 0o600);
    const socket = connect(door);
    socket.once('data', () => socket.write(`${JSON.stringify({ pid: far.child.pid })}\n`));
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    await new Promise((resolve) => socket.on('close', resolve));
    assert.match(heard, /^\{"proof":"[^"]+"\}\n$/);
    const folder = join(repo.path, '.git/blueflame/chats');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'queen-1'), JSON.stringify({ ...ownIdentity(), namespace: 'pid:[1]' }));
    const inChat = startProgram(repo, ['board', '--no-open'], { env: { CLAUDECODE: '1' } });
    const ended = programEnd(inChat);
    const tab = visitBoard(await boardAddress(inChat));
    await nextGate(tab, 'plan');
    assert.match(await answerGate(tab, plan, { kind: 'approve' }), "needs a person's decision");
    inChat.kill('SIGINT');
    await ended;
    const { gate } = await far.until(() => true);
    assert.is(gate?.id, plan.id);
  });
});

testIf(
  test,
  hasTmux,
  'tmux is not installed',
)('DSK-1: two boards and a terminal: each sees at once what another decided', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, tasks);
  const terminal = openTerminal(repo, { columns: 120, rows: 50 });
  try {
    terminal.type(`git flame run Count --from ${plan}`, 'Enter');
    await terminal.until(/\(q\)uit\?/);
    await withBoard(repo, (one) =>
      withBoard(repo, async (two) => {
        const asked = await nextGate(one, 'plan');
        assert.is((await nextGate(two, 'plan')).id, asked.id);
        assert.is(await answerGate(one, asked, { kind: 'approve' }), '');
        await terminal.until(/Decided on the board: the plan, approved\.[\s\S]*Changeset 1\/2[\s\S]*kip.*\?/);
        await two.until(({ decided }) => decided[0]?.where === 'board');
        const changeset = await nextGate(two, 'changesets');
        terminal.type('r', 'Enter');
        await terminal.until(/Reason/);
        terminal.type('Too early.', 'Enter');
        await terminal.until(/ew attempt/);
        terminal.type('n', 'Enter');
        const seen = await two.until(({ decided }) => decided[0]?.where === 'terminal');
        assert.is(seen.decided[0]?.answer, 'sent back: Too early.');
        assert.match(
          await answerGate(two, changeset, { kind: 'approve' }),
          'changeset one was already decided at the terminal',
        );
        const last = await nextGate(one, 'changesets', changeset.id);
        // Half an answer stands at the terminal.
        terminal.type('r', 'Enter');
        await terminal.until(/Reason[^\n]*\n?[^\n]*$/);
        assert.is(await answerGate(two, last, { kind: 'approve' }), '');
        await terminal.until(/Decided on the board: changeset two, approved\.[\s\S]*\(s\)top/);
        terminal.type('s', 'Enter');
        await one.until(({ decided }) => decided[0]?.answer === 'stop');
      }),
    );
  } finally {
    terminal.close();
  }
});

test('DSK-1: what a run warns of, conflicts ahead too, stands on its board and on that of another process', async () => {
  const commands = ['grep -q good made.txt'];
  const config = {
    validation: { validator_diagnostics: { commands } },
    concurrency: { overlap: 'separate' },
  };
  const repo = makeExecProject({ config });
  const both = ['one', 'two'].map((id) => ({
    id,
    script: `echo good ${id} > made.txt`,
    locks: ['made.txt'],
    group: id,
  }));
  const argv = ['run', 'Mend', '--from', writePlan(repo, both), '--web', '--no-open'];
  const expected = ['grep -q good made.txt fails on main already', 'one and two conflict in made.txt'];
  const work = async (own: TestBoard, far: TestBoard): Promise<void> => {
    assert.is(await answerGate(far, await nextGate(far, 'plan'), { kind: 'approve' }), '');
    for (const board of [own, far]) {
      await nextGate(board, 'changesets');
      for (const words of expected)
        await board.until(({ notices }) => notices.some((notice) => notice.includes(words)));
    }
  };
  await withBoard(repo, (own) => withBoard(repo, (far) => work(own, far)), argv);
});

test.run();
