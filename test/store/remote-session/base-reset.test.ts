import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { type ObjectId, parseRefName } from '../../../lib/domain/ids.ts';
import { alterTask } from '../../support/tasks.ts';
import { makeClones, stateOf, taskOf } from '../sync-clones.ts';
import { openMachine } from './machine.ts';

for (const how of ['taken back', 'made anew'])
  test(`DST-1 a base that was ${how} at the remote takes no landing: nothing moves there or here, and that is told`, async () => {
    const { remote, clones } = await makeClones(['task-001']);
    const [repo] = clones;
    repo.git('commit', '-q', '--allow-empty', '-m', 'second');
    repo.git('push', '-q', 'origin', 'main');
    const from = repo.git('rev-parse', 'main') as ObjectId;
    const to = repo.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'landed') as ObjectId;
    const machine = await openMachine(repo, 'host/a');
    await machine.remoteSession.exchangeNow();
    const anew = (): string => remote.git('commit-tree', 'main^{tree}', '-m', 'another root');
    remote.git('update-ref', 'refs/heads/main', how === 'taken back' ? 'main~1' : anew());
    const before = [stateOf(remote), remote.git('rev-parse', 'main')];
    const error = await machine.store
      .transact((snapshot) => ({
        actor: 'a',
        changes: [{ subject: 'lands', tasks: [alterTask(taskOf(snapshot, 'task-001'), { title: 'landed' })] }],
        refs: [{ ref: parseRefName('refs/heads/main'), old: from, new: to }],
      }))
      .catch((caught: unknown) => caught);
    await machine.close();
    assert.ok(error instanceof FlameError, String(error));
    assert.equal([error.code, error.kind], ['remote-base-moved', 'waiting']);
    assert.match(error.message, /main differs between here and origin, so nothing was landed/);
    assert.equal([stateOf(remote), remote.git('rev-parse', 'main')], before);
    assert.equal([stateOf(repo), repo.git('rev-parse', 'main')], [before[0], from]);
  });

test.run();
