import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withBoard } from '../../support/board.ts';
import { makeExecProject } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { hermeticEnv, makeTempDir, openRepo, type TestRepo } from '../../support/repo.ts';

const env = { ...hermeticEnv, XDG_STATE_HOME: makeTempDir('flame-state') };

async function withSession(title: string): Promise<TestRepo> {
  const repo = openRepo(makeExecProject().path, env);
  const added = await flame(repo, ['task', 'add', title, '--locks', 'a.txt', '--description', 'echo a > a.txt']);
  assert.is(added.code, 0, added.stderr);
  return repo;
}

const path = '/api/other-sessions';

test("DSK-3 a board leads to a running board of another repository, and has that one's command while none runs", async () => {
  const [here, there] = [await withSession('Here'), await withSession('There')];
  await withBoard(here, async (board) => {
    const read = async (): Promise<readonly Record<string, unknown>[]> => {
      const { value } = await board.ask(path);
      return (value as { sessions: readonly Record<string, unknown>[] }).sessions;
    };
    const [idle] = await read();
    assert.equal([idle?.title, idle?.next], ['There', `cd ${there.path} && git flame work`]);
    assert.is(idle?.board, undefined);
    await withBoard(there, async (other) => {
      assert.is((await read())[0]?.board, other.url);
      await other.end();
      assert.is((await read())[0]?.board, undefined);
    });
    // withBoard kills it.
    await withBoard(there, async (other) => {
      const [session] = await read();
      assert.is(session?.board, other.url);
      other.child.kill('SIGKILL');
      await new Promise((resolve) => other.child.once('close', resolve));
      assert.is((await read())[0]?.board, undefined);
    });
    assert.is((await read()).length, 1);
  });
});

test('SAF-1 a board that others reach through a tunnel shows them nothing of other repositories', async () => {
  const here = await withSession('Alone');
  await withBoard(here, async (board) => assert.equal((await board.ask(path)).value, { sessions: [] }), [
    'board',
    '--no-open',
    '--address',
    'https://desk.example:8443',
  ]);
});

test.run();
