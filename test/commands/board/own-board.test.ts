import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withBoard } from '../../support/board.ts';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { flameJson } from '../../support/flame.ts';
import { answerGate, nextGate } from '../../support/gates.ts';
import { programEnd } from '../../support/program.ts';
import type { TestRepo } from '../../support/repo.ts';

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
      const plan = await nextGate(board, 'plan');
      assert.match(await answerGate(board, plan, { kind: 'edit', text: 'tasks: 1' }), '409');
      const { value } = await board.ask(`/api/gate/${plan.id}/plan`);
      const text = (value as { text: string }).text.replace('Do other', 'Do another');
      assert.is(await answerGate(board, plan, { kind: 'edit', text }), '');
      const edited = await nextGate(board, 'plan', plan.id);
      assert.match(await answerGate(board, plan, { kind: 'approve' }), 'the plan was already decided on the board');
      assert.is(await answerGate(board, edited, { kind: 'approve' }), '');

      const failed = await nextGate(board, 'validation');
      assert.is(failed.asks.gate === 'validation' && failed.asks.checks[0]?.result, 'exit 1');
      assert.match(await answerGate(board, failed, { kind: 'pass', override: ' ' }), 'it needs visible characters');
      const away = await answerGate(board, failed, { kind: 'requeue', file_locks: ['../x'] });
      assert.match(away, /^409 This is not an answer to the question: make: .*\.\.\/x/);
      assert.is((await nextGate(board, 'validation')).id, failed.id);
      assert.is(await answerGate(board, failed, { kind: 'drop', reason: 'Not this way.' }), '');

      const changeset = await nextGate(board, 'changesets');
      assert.is(await answerGate(board, changeset, { kind: 'reject', reason: 'Count on.' }), '');
      const session = await nextGate(board, 'session');
      const state = await board.until(({ decided }) => decided.length === 4);
      assert.equal(
        state.decided.map(({ about, answer: words, where }) => `${about}: ${words} (${where})`),
        [
          'changeset other: sent back: Count on. (board)',
          'make: dropped: Not this way. (board)',
          'the plan: approved (board)',
          'the plan: edited (board)',
        ],
      );
      assert.is(await answerGate(board, session, { kind: 'stop' }), '');
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
      const plan = await nextGate(board, 'plan');
      const body = JSON.stringify({ gate: plan.id, answer: { kind: 'approve' } });
      const { origin } = new URL(board.url);
      const bare = await fetch(`${origin}/api/answer`, { method: 'POST', body });
      assert.is(bare.status, 403);
      const foreign = await board.ask('/api/answer', {
        ...{ method: 'POST', body, headers: { origin: 'https://evil.example' } },
      });
      assert.is(foreign.status, 403);
      const hint = (given: object, headers = {}) =>
        board.ask('/api/hint', { method: 'POST', body: JSON.stringify(given), headers });
      const told = { agent: 'worker-00000000', text: 'Be short.' };
      assert.is((await fetch(`${origin}/api/hint`, { method: 'POST', body: JSON.stringify(told) })).status, 403);
      assert.is((await hint(told, { origin: 'https://evil.example' })).status, 403);
      assert.is((await hint({ ...told, text: ' \u200b' })).status, 400);
      assert.is((await hint({ ...told, agent: '../other' })).status, 400);
      const refused = await hint(told);
      assert.is(refused.status, 409);
      assert.match((refused.value as { message: string }).message, told.agent);
      const reading = await board.ask('/api/answer');
      assert.is(reading.status, 404);
      const { gate } = await board.until(({ session }) => session !== null);
      assert.is(gate?.id, plan.id);
    },
    argv,
  );
});

test.run();
