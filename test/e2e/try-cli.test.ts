import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseTrial, trialCommand, tryCli } from '../support/cli-trial.ts';
import { needsCli } from '../support/clis.ts';
import { enterNetworkNamespace } from '../support/model-namespace.ts';
import { makeRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';

// What a person tries a CLI with by hand (test/soak/try-cli): here with one that starts fast, in a clone of another
// repository.

const place = trialCommand('codex') === null ? 'none' : enterNetworkNamespace();

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', `try-cli: ${needsCli('codex')}`);

  live('ADP-2: a script of turns is played in a clone of any repository, and all that came of it told', async () => {
    const other = makeRepo();
    other.write('lib/there.txt', 'before\n');
    other.commit('something of its own');
    const trial = parseTrial(
      JSON.stringify({
        task: { description: 'Change lib/there.txt.', file_locks: ['lib/there.txt'] },
        turns: [
          { read: 'lib/there.txt' },
          { together: [{ write: ['elsewhere.txt', 'x'] }, { run: 'curl http://127.0.0.1/' }] },
          { fails: { status: 500, body: { error: { message: 'x' } } } },
          { replace: ['lib/there.txt', ['before'], 'after'] },
          { call: { name: 'exec_command', input: { cmd: "git add -A && git commit -qm 'fix: there'" } } },
          { say: 'It is changed.' },
        ],
      }),
    );
    const report = await tryCli('codex', trial, other.path);
    const { exit_code, tasks, landed, told, audit, left } = report;
    assert.is(exit_code, 0, JSON.stringify(report));
    assert.equal(
      tasks.map(({ status }) => status),
      ['merged'],
    );
    assert.is(landed.files, 'M\tlib/there.txt');
    assert.is(told.length, 5);
    // two calls of one turn may be judged in either order
    const blocked = audit.filter(({ decision }) => decision === 'block').map(({ rule }) => rule);
    assert.equal(blocked.sort(), ['bash-not-allowed', 'path-out-of-scope']);
    assert.equal(Object.values(left).flat(), [], JSON.stringify(left));
    assert.is(other.git('status', '--porcelain'), '');
  });
}

test('a script that says what nobody knows is refused, and where', () => {
  const task = { description: 'x', file_locks: ['x'] };
  assert.throws(() => parseTrial(JSON.stringify({ task, turns: [{ shout: 'x' }] })), /turns\[0\]/);
  assert.throws(() => parseTrial(JSON.stringify({ turns: [] })), /task/);
});

test.run();
