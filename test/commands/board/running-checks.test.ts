import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withBoard } from '../../support/board.ts';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { answerGate, nextGate } from '../../support/gates.ts';

test('DSK-1: a board shows the diagnostics that run, on what, and what those before them came to', async () => {
  const waits = 'test ! -e one.txt || { echo waiting; exec tail -f /dev/null; }';
  const config = { validation: { validator_diagnostics: { commands: ['test -d .', waits] } } };
  const repo = makeExecProject({ config });
  const plan = writePlan(repo, [{ id: 'one', script: 'echo 1 > one.txt', locks: ['one.txt'], group: 'one' }]);
  await withBoard(
    repo,
    async (own) => {
      await answerGate(own, await nextGate(own, 'plan'), { kind: 'approve' });
      // Another process knows it as well.
      await withBoard(repo, async (far) => {
        for (const board of [own, far]) {
          const isThere = (output: string): boolean => output.includes('waiting');
          const { checks } = await board.until((state) => state.checks.some((one) => isThere(one.output)));
          assert.equal(
            checks.map(({ command, about, output }) => [command, about, output]),
            [[waits, 'one', 'waiting\n']],
          );
          assert.equal(
            checks[0]?.before.map(({ command, result, is_good: isGood }) => [command, result, isGood]),
            [['test -d .', 'exit 0', true]],
          );
        }
        await own.end();
        const { checks } = await far.until((state) => !state.is_running && state.checks.length === 0);
        assert.equal(checks, []);
      });
    },
    ['run', 'Make', '--from', plan, '--web', '--no-open'],
  );
});

test('DSK-1: what checks came to is shown after they ended, on a board that opened later too', async () => {
  const config = { validation: { validator_diagnostics: { commands: ['test -d .', 'test ! -e one.txt'] } } };
  const repo = makeExecProject({ config });
  const plan = writePlan(repo, [{ id: 'one', script: 'echo 1 > one.txt', locks: ['one.txt'], group: 'one' }]);
  await withBoard(
    repo,
    async (own) => {
      await answerGate(own, await nextGate(own, 'plan'), { kind: 'approve' });
      await nextGate(own, 'validation');
      await withBoard(repo, async (far) => {
        for (const board of [own, far]) {
          const { checks, ended_checks: ended } = await board.until((state) => state.ended_checks.length > 0);
          assert.equal(checks, []);
          assert.equal(
            ended
              .filter(({ about }) => about === 'one')
              .slice(0, 2)
              .map(({ command, result, is_good: isGood }) => [command, result, isGood]),
            [
              ['test ! -e one.txt', 'exit 1', false],
              ['test -d .', 'exit 0', true],
            ],
          );
        }
      });
    },
    ['run', 'Make', '--from', plan, '--web', '--no-open'],
  );
});

test.run();
