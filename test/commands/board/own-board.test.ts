import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenGate } from '../../../lib/domain/shown/gate.ts';
import { type TestBoard, withBoard } from '../../support/board.ts';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { flameJson } from '../../support/flame.ts';
import { programEnd } from '../../support/program.ts';
import type { TestRepo } from '../../support/repo.ts';

/** Answers a question as a tab does; what the board says of it. */
async function answer(board: TestBoard, gate: OpenGate, given: unknown): Promise<string> {
  const { status, value } = await board.ask('/api/answer', {
    method: 'POST',
    body: JSON.stringify({ gate: gate.id, answer: given }),
  });
  return status === 200 ? '' : `${status} ${(value as { message: string }).message}`;
}

/** The next question of that kind. */
async function asked<Kind extends OpenGate['asks']['gate']>(
  board: TestBoard,
  kind: Kind,
  seen = '',
): Promise<OpenGate> {
  const { gate } = await board.until(
    ({ gate: now }) => now !== null && now.id !== seen && now.asks.gate === kind,
  );
  if (gate === null) throw new Error('there is none');
  return gate;
}

function project(): TestRepo {
  const commands = ['grep -q good made.txt'];
  const repo = makeExecProject({ config: { validation: { validator_diagnostics: { commands } } } });
  repo.write('made.txt', 'good\n');
  repo.git('add', 'made.txt');
  repo.git('commit', '-qm', 'made');
  return repo;
}

const bad = { id: 'make', script: 'echo bad > made.txt', locks: ['made.txt'], group: 'made' };
const fine = { id: 'other', script: 'echo 1 > other.txt', locks: ['other.txt'], group: 'other' };

test('DSK-1: every question of a run without a terminal is answered on its board', async () => {
  const repo = project();
  const argv = ['run', 'Make', '--from', writePlan(repo, [bad, fine]), '--web', '--no-open'];
  await withBoard(
    repo,
    async (board) => {
      const ended = programEnd(board.child);
      const plan = await asked(board, 'plan');
      assert.match(await answer(board, plan, { kind: 'edit', text: 'tasks: 1' }), '409');
      const { value } = await board.ask(`/api/gate/${plan.id}/plan`);
      const text = (value as { text: string }).text.replace('Do other', 'Do another');
      assert.is(await answer(board, plan, { kind: 'edit', text }), '');
      const edited = await asked(board, 'plan', plan.id);
      assert.match(
        await answer(board, plan, { kind: 'approve' }),
        'the plan was decided meanwhile on the board',
      );
      assert.is(await answer(board, edited, { kind: 'approve' }), '');

      const failed = await asked(board, 'validation');
      assert.is(failed.asks.gate === 'validation' && failed.asks.checks[0]?.result, 'exit 1');
      assert.match(await answer(board, failed, { kind: 'pass', override: ' ' }), 'a reason is needed');
      assert.is(await answer(board, failed, { kind: 'drop', reason: 'Not this way.' }), '');

      const changeset = await asked(board, 'changesets');
      assert.is(await answer(board, changeset, { kind: 'reject', reason: 'Count on.' }), '');
      const session = await asked(board, 'session');
      const state = await board.until(({ decided }) => decided.length === 4);
      assert.equal(
        state.decided.map(({ about, answer: words, where }) => `${about}: ${words} (${where})`),
        [
          'changeset other: rejected: Count on. (board)',
          'make: dropped: Not this way. (board)',
          'the plan: approved (board)',
          'the plan: edited (board)',
        ],
      );
      assert.is(await answer(board, session, { kind: 'stop' }), '');
      const { code, stderr } = await ended;
      assert.is(code, 0, stderr);
      assert.match(stderr, 'Decided on the board: the plan, approved.');
    },
    argv,
  );
  const [status] = (await flameJson(repo, ['status'])).lines;
  assert.match(JSON.stringify(status?.tasks), '"title":"Do another"');
});

test('what nobody may answer, or without the token, changes nothing', async () => {
  const repo = project();
  const argv = ['run', 'Make', '--from', writePlan(repo, [fine]), '--web', '--no-open'];
  await withBoard(
    repo,
    async (board) => {
      const plan = await asked(board, 'plan');
      const body = JSON.stringify({ gate: plan.id, answer: { kind: 'approve' } });
      const { origin } = new URL(board.url);
      const bare = await fetch(`${origin}/api/answer`, { method: 'POST', body });
      assert.is(bare.status, 403);
      const foreign = await board.ask('/api/answer', {
        ...{ method: 'POST', body, headers: { origin: 'https://evil.example' } },
      });
      assert.is(foreign.status, 403);
      const reading = await board.ask('/api/answer');
      assert.is(reading.status, 404);
      const { gate } = await board.until(({ session }) => session !== null);
      assert.is(gate?.id, plan.id);
    },
    argv,
  );
});

test.run();
