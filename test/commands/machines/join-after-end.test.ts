import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionId } from '../../../lib/domain/ids.ts';
import { machineRef } from '../../../lib/store/remote-session/machine-ref.ts';
import { machineName } from '../../../lib/trust/clone-key.ts';
import { flame } from '../../support/flame.ts';
import { makeMachines } from '../../support/machine-rig.ts';

test('DST-1 LIF-4 a machine that was killed before the session ended takes its sign of life away when it comes back', async () => {
  const { remote, lead, other } = makeMachines(2, [
    { id: 'task-001', script: 'mkdir -p src; echo 1 > src/1.txt', locks: ['src/1.txt'] },
  ]);
  const joining = ['work', '--join', 'origin'];
  assert.is((await flame(other.repo, joining)).code, 2);
  const run = ['run', 'Do it', '--remote', 'origin', '--from', '.git/plan.yml'];
  const led = await flame(lead.repo, [...run, '--decisions-file', '.git/decisions.yml']);
  assert.is(led.code, 0, led.stderr);
  const [session] = remote
    .git('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/blueflame/kept/')
    .split('\n') as SessionId[];
  if (session === undefined) throw new Error('no session');
  const { env, path } = other.repo;
  const own = machineRef(session, machineName({ env, commonDir: `${path}/.git` }));
  const others = machineRef(session, 'host/00000000');
  for (const ref of [own, others]) remote.git('update-ref', ref, 'main');
  const late = await flame(other.repo, joining);
  assert.is(late.code, 2);
  assert.match(late.stderr, /No session is shared through origin\./);
  assert.is(remote.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/machines/'), others);
});

test.run();
