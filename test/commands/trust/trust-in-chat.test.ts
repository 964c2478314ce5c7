import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { main } from '../../../lib/cli/main.ts';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { makeFakeIo } from '../../support/fake-io.ts';
import type { FlameRun } from '../../support/flame.ts';
import { assertRefused } from '../../support/refusal.ts';
import { makeTempDir } from '../../support/repo.ts';

test("QUE-1 a yes that a chat's model types at a terminal of its own allows nothing; it isn't even asked", async () => {
  const repo = makeExecProject({ config: { hooks: { on_waiting: 'true' } } });
  writePlan(repo, [{ id: 'one', script: 'true', locks: ['src/one.txt'] }]);
  const state = makeTempDir();
  const typed = async (...argv: readonly string[]): Promise<FlameRun> => {
    const env = { ...repo.env, XDG_STATE_HOME: state, TERM: 'dumb', CLAUDECODE: '1' };
    const fake = makeFakeIo({ isTTY: true, cwd: repo.path, env, input: 'y\n' });
    fake.endInput();
    return { code: await main(argv, fake.io), stdout: fake.stdout(), stderr: fake.stderr() };
  };
  for (const argv of [['trust'], ['run', 'One', '--from', '.git/plan.yml']]) {
    const run = await typed(...argv);
    assertRefused(run, { code: 2, says: "What this repository's files may run needs a person's decision" });
    assert.not.match(run.stderr, 'Allow this?');
  }
});

test.run();
