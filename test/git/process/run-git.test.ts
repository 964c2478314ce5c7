import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gitLimits } from '../../../lib/domain/config/checked-work-limits.ts';
import type { FlameError } from '../../../lib/domain/flame-error.ts';
import { type GitContext, runGit } from '../../../lib/git/process/run-git.ts';
import { makeRepo } from '../../support/repo.ts';

const repo = makeRepo();

/** A shell in git's place, as what git itself starts. */
function run(script: string, { input, context = {} }: { input?: string | Buffer; context?: Partial<GitContext> } = {}) {
  const given = input === undefined ? {} : { input };
  return runGit({ cwd: repo.path, env: repo.env, ...context }, ['-c', `alias.x=!${script}`, 'x'], given);
}

for (const [name, context] of [
  ['git', {}],
  ['a git under limits', { guard: { limits: gitLimits } }],
] as const) {
  test(`${name}: megabytes go both ways, empty input is the end of it, none is /dev/null`, async () => {
    const input = Buffer.alloc(5_000_000, 'abcdefg\n');
    assert.equal((await run('cat', { input, context })).stdout, input);
    assert.is((await run('cat', { input: '', context })).stdout.length, 0);
    assert.is((await run('readlink /proc/self/fd/0', { context })).stdout.toString(), '/dev/null\n');
    assert.is((await run('true', { input, context })).exitCode, 0, 'it may end before it has read all');
  });

  test(`${name}: many run side by side, each in a session of its own, with no open file of another`, async () => {
    const script = 'ls /proc/self/fd; cut -d" " -f6 /proc/self/stat';
    const files = (said: string): readonly string[] => said.trim().split('\n').slice(0, -1);
    const alone = files((await run(script, { context })).stdout.toString());
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, at) => run(script, { input: 'x'.repeat(at), context })),
    );
    const said = ends.map(({ stdout }) => stdout.toString());
    for (const one of said) assert.equal(files(one), alone);
    assert.is(new Set(said.map((one) => one.trim().split('\n').at(-1))).size, said.length);
  });
}

test('a git that a signal ended has failed; what it said last is why', async () => {
  const ended = await run('kill -9 $PPID').then(
    () => null,
    (error: FlameError) => error,
  );
  assert.match(ended?.message ?? '', /^git x ended with 128: /);
});

test('what git leaves behind with its outputs open is ended at the time limit', async () => {
  const guard = { limits: { ...gitLimits, wallMs: 200 } };
  const { stdout } = await run("trap '' TERM; sleep 600 & echo on", { context: { guard } });
  assert.is(stdout.toString(), 'on\n');
});

test.run();
