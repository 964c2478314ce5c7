import { networkInterfaces } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withBoard } from '../../support/board.ts';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { answerGate, nextGate } from '../../support/gates.ts';
import { programEnd } from '../../support/program.ts';
import type { TestRepo } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';

const tasks = [{ id: 'one', script: 'echo 1 > one.txt', locks: ['one.txt'] }];

function runArgs(repo: TestRepo, ...more: string[]): readonly string[] {
  return ['run', 'Count', '--from', writePlan(repo, tasks), '--web', '--no-open', ...more];
}

/** An address of this machine that others may reach. */
const outer = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test('DSK-1: a run serves its board on the port it is told, and ends before it begins where that is taken', async () => {
  const repo = makeExecProject();
  await withBoard(repo, async (board) => {
    const { port } = new URL(board.url);
    const taken = await flame(repo, runArgs(repo, '--port', port));
    assert.is(taken.code, 128);
    assert.match(taken.stderr, `Port ${port} can't be used`);
    assert.match(taken.stderr, 'next: On a free port: git flame run --web');
    assert.is((await board.until(() => true)).session, null);
    await board.end();
    await withBoard(
      repo,
      async (own) => {
        assert.is(new URL(own.url).port, port);
        assert.is(new URL(own.url).hostname, '127.0.0.2');
        const ended = programEnd(own.child);
        assert.is(await answerGate(own, await nextGate(own, 'plan'), { kind: 'quit' }), '');
        assert.not.match((await ended).stderr, 'unencrypted');
      },
      runArgs(repo, '--port', port, '--address', '127.0.0.2'),
    );
  });
});

test('what can not be served is refused with the way out', async () => {
  const repo = makeExecProject();
  const wrong: readonly (readonly [readonly string[], number, string])[] = [
    [['run', '--port', '7171'], 129, 'git flame run --web --port 7171'],
    [['resume', '--address', 'https://desk.example'], 129, 'git flame resume --web'],
    [['run', '--web', '--port', '70000'], 129, 'There is no port 70000'],
    [['run', '--web', '--address', 'desk'], 129, 'https://host:port'],
    [['board', '--no-open', '--address', '0.0.0.0'], 129, 'stands for every address of this machine: name one'],
    [['board', '--no-open', '--address', '::'], 129, 'stands for every address of this machine: name one'],
    [['board', '--no-open', '--address', '::ffff:0.0.0.0'], 129, 'stands for every address of this machine: name one'],
    // Set aside for documents: no machine has it.
    [['board', '--no-open', '--address', '203.0.113.7'], 128, 'has no address 203.0.113.7'],
  ];
  for (const [argv, code, said] of wrong) {
    const refused = await flame(repo, argv);
    assert.is(refused.code, code, `${argv}: ${refused.stderr}`);
    assert.match(refused.stderr, said);
  }
});

testIf(
  test,
  outer !== undefined,
  'this machine has no address but its loopback',
)('an address that others reach is served by a person’s word alone, with a plain warning', async () => {
  const repo = makeExecProject();
  const argv = ['board', '--no-open', '--address', outer ?? ''];
  await withBoard(
    repo,
    async (board) => {
      assert.is(new URL(board.url).hostname, outer);
      assert.is((await board.until(() => true)).session, null);
      const { code, stderr } = await board.end();
      assert.is(code, 0);
      assert.match(stderr, `served on ${outer}, unencrypted`);
    },
    argv,
  );
});

test.run();
