import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  beginLed,
  endOpened,
  letGo,
  machineEnd,
  makeMachines,
  type RigMachine,
  startMachine,
  untilLetGo,
} from '../support/machine-rig.ts';
import { makeTempDir } from '../support/repo.ts';
import { forge } from '../support/shared-project.ts';
import { until } from '../support/until.ts';

test.after(endOpened);

const tasks = [1, 2, 3, 4, 5].map((at) => ({
  ...{ id: `task-00${at}`, locks: [`src/${at}.txt`], priority: at },
  script: `${untilLetGo}; mkdir -p src; echo ${at} > src/${at}.txt`,
}));

const works = ({ repo }: RigMachine): boolean => repo.git('worktree', 'list').split('\n').length === 3;

test('DST-1 TRU-2 what somebody else writes as the text of a task runs on no machine, and what all agreed to is done', async () => {
  const rig = makeMachines(3, tasks, { lease: '60s', renew: '4s' });
  const { lead, other, third: eve, remote } = rig;
  const { digest } = await beginLed(rig);
  startMachine(other, digest);
  await until('both work', () => works(lead) && works(other));
  const witness = join(makeTempDir('flame-witness'), 'ran');
  for (let isSent = false; !isSent; ) {
    eve.repo.git('fetch', '-q', 'origin', '+refs/blueflame/*:refs/blueflame/*');
    await forge(eve.repo, (state) => {
      const [session] = state.sessions;
      const last = session === undefined ? undefined : state.tasksOf(session.id).find(({ id }) => id === 'task-005');
      const description = `touch ${witness}; mkdir -p src; echo eve > src/5.txt`;
      return last === undefined
        ? []
        : [{ subject: 'task-005: other words', tasks: [{ ...last, description } as never] }];
    });
    try {
      eve.repo.git('push', '-q', 'origin', 'refs/blueflame/tasks');
      isSent = true;
    } catch {
      // Somebody was first.
    }
  }
  letGo(rig);
  await machineEnd(lead);
  const said = `${lead.said}\n----\n${other.said}`;
  assert.is(lead.ends.at(-1), 2, said);
  assert.match(lead.said, /task-005, description/, 'its person is asked about that text');
  const claims = remote.git('log', '--format=%s', 'refs/blueflame/tasks');
  assert.not.match(claims, /task-005: pending -> claimed/, said);
  for (const at of [1, 2, 3, 4]) assert.match(claims, new RegExp(`task-00${at}: claimed -> done`));
  assert.not(existsSync(witness));
});

test.run();
