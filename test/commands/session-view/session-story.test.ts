import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listBoardTasks } from '../../../lib/commands/session-view/read-session.ts';
import { RecentOutput } from '../../../lib/commands/session-view/recent-output.ts';
import { openSessionLog } from '../../../lib/commands/session-view/session-story.ts';
import { defaultConfig } from '../../../lib/config/load-config.ts';
import { agentIdPattern, type ObjectId, type RefName, type SessionId } from '../../../lib/domain/ids.ts';
import type { StateLogEntry } from '../../../lib/domain/ports/store-port.ts';
import { withBoard } from '../../support/board.ts';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { answerGate, nextGate } from '../../support/gates.ts';
import { makeTempDir } from '../../support/repo.ts';
import { makeTask } from '../../support/tasks.ts';

test('DSK-1: a board tells what each wave took, who worked when, and each verdict once', async () => {
  const repo = makeExecProject({ config: { validation: { validator_diagnostics: { commands: ['true'] } } } });
  const plan = writePlan(repo, [
    { id: 'one', title: 'Make one', script: 'echo 1 > one.txt', locks: ['one.txt'], group: 'one' },
  ]);
  await withBoard(
    repo,
    async (board) => {
      await answerGate(board, await nextGate(board, 'plan'), { kind: 'approve' });
      await nextGate(board, 'changesets');
      const { waves, tasks, log } = await board.until(({ waves: [, , , , last] }) => last?.stands === 'now');
      assert.equal(
        waves.map(({ wave, stands }) => `${wave} ${stands}`),
        ['plan done', 'work done', 'validate done', 'merge done', 'review now'],
      );
      assert.equal(
        tasks.one?.times.map(({ kind }) => kind),
        ['waits', 'works', 'checks', 'decides'],
      );
      const lines = log.filter(({ task }) => task === 'one').map(({ text }) => text);
      assert.equal(
        lines.filter((text) => text.startsWith('judged')),
        ['judged pass by diagnostics'],
      );
      assert.ok(
        lines.some((text) => text.startsWith('claimed by worker-')),
        lines.join('\n'),
      );
      assert.not(
        lines.some((text) => text.includes('->')),
        lines.join('\n'),
      );
    },
    ['run', 'Make', '--from', plan, '--web', '--no-open'],
  );
});

test('DSK-1: a silent script has its last lines on the board, and is stopped there for good', async () => {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  const script = 'echo first; echo "it waits"; exec tail -f /dev/null';
  const plan = writePlan(repo, [{ id: 'one', script, locks: ['one.txt'], group: 'one' }]);
  await withBoard(
    repo,
    async (board) => {
      await answerGate(board, await nextGate(board, 'plan'), { kind: 'approve' });
      const isThere = (recent: readonly { readonly text: string }[]): boolean => recent.at(-1)?.text === 'it waits';
      const { agents } = await board.until((state) => state.agents.some(({ recent }) => isThere(recent)));
      assert.equal(
        agents.map(({ recent }) => recent),
        [
          [
            { kind: 'said', text: 'first' },
            { kind: 'said', text: 'it waits' },
          ],
        ],
      );
      const agent = agents[0]?.id ?? '';
      assert.match(agent, agentIdPattern);
      const stop = (body: object, headers = {}) =>
        board.ask('/api/stop', { method: 'POST', body: JSON.stringify(body), headers });
      assert.is((await stop({ agent, retry: false }, { origin: 'https://evil.example' })).status, 403);
      assert.is((await stop({ agent: '../x', retry: false })).status, 400);
      assert.is((await stop({ agent })).status, 400);
      assert.is((await stop({ agent: 'worker-00000000', retry: false })).status, 409);
      assert.is((await stop({ agent, retry: false })).status, 200);
      const { tasks } = await board.until((state) => state.tasks.one?.status === 'failed');
      assert.is(tasks.one?.times.at(-1)?.kind, 'failed');
      assert.is((await stop({ agent, retry: false })).status, 409);
    },
    ['run', 'Make', '--from', plan, '--web', '--no-open'],
  );
});

test('the end of a huge output is read, whole lines of it, and what an event hides stays away', () => {
  const file = join(makeTempDir(), 'output');
  const output = new RecentOutput(file, '/');
  assert.equal(output.read(), []);
  writeFileSync(file, `${'x'.repeat(99)}\n`.repeat(100_000));
  assert.is(output.read().length, 3);
  assert.is(output.read().at(-1)?.text, 'x'.repeat(99));
  appendFileSync(file, `{"type":"event"}\n\n${'👩‍👧'.repeat(5_000)}`);
  const last = output.read().at(-1)?.text ?? '';
  assert.ok([...last].length <= 200, `${last.length}`);
  assert.not(/[\ud800-\udbff]$/.test(last));
});

test('the log of a session is read whole once, then its end, and again whole where its past is another one', async () => {
  const entry = (at: number): StateLogEntry => ({
    ...{ commit: `${at}`.padStart(40, '0') as ObjectId, ref: 'refs/blueflame/tasks' as RefName, at: '', author: '' },
    ...{ subject: `${at}`, body: '', trailers: {} },
  });
  let all = Array.from({ length: 400 }, (_, at) => entry(400 - at));
  const asked: (number | undefined)[] = [];
  const read = openSessionLog({
    log: async ({ limit }) => {
      asked.push(limit);
      return all.slice(0, limit);
    },
  });
  const session = 'ses-20260206-143022-1a2b' as SessionId;
  assert.equal(await read(session), all);
  all = [entry(402), entry(401), ...all];
  assert.equal(await read(session), all);
  assert.equal(asked, [3_000, 150]);
  all = all.filter(({ subject }) => subject !== '399');
  assert.equal(await read(session), all);
  assert.equal(asked, [3_000, 150, 150, 3_000]);
  all = [...Array.from({ length: 200 }, (_, at) => entry(900 - at)), ...all];
  assert.equal(await read(session), all);
  assert.equal(asked.slice(4), [150, 3_000]);
});

test('what a task is stacked on stays in sight while it is blocked', () => {
  const shared = { file_locks: ['readme.md'] };
  const tasks = [makeTask('one', { ...shared, status: 'pending' }), makeTask('two', { ...shared, status: 'blocked' })];
  const rest = { waits: new Map(), times: new Map(), config: defaultConfig() };
  const board = listBoardTasks({ proposal: null, agents: [] }, tasks, rest);
  assert.equal(board.two?.overlap, { kind: 'build-on', below: [{ task: 'one', lock: 'readme.md' }] });
});

test.run();
