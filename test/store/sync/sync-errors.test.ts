import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FlameError } from '../../../lib/domain/flame-error.ts';
import {
  damagedStateNotSent,
  newerStateNotSent,
  pushFailed,
  remoteBusy,
  remoteCannotStore,
  remoteRefuses,
  remoteRolledBack,
  remoteUnreachable,
  stateShallow,
} from '../../../lib/store/sync/sync-errors.ts';

const remote = "my remote's $(id)";
const quoted = "'my remote'\\''s $(id)'";
const reason = "'refs/blueflame' exists; cannot create 'refs/blueflame/tasks'";

const errors: readonly FlameError[] = [
  remoteUnreachable(remote, 'fatal: no'),
  remoteRefuses(remote, { ref: 'refs/blueflame/tasks', reason, stderr: '', mayPass: false }),
  pushFailed(remote, ''),
  remoteCannotStore(remote, 'full', ''),
  remoteRolledBack(remote, ['refs/blueflame/tasks']),
  damagedStateNotSent(remote, []),
  newerStateNotSent(remote, []),
  remoteBusy(remote, 3, ''),
  stateShallow('refs/blueflame/tasks', remote),
];

for (const error of errors)
  test(`what to type after ${error.code} names the remote as one word of a shell`, () => {
    const naming = error.hints.filter((hint) => hint.includes('remote'));
    assert.ok(naming.some((hint) => hint.includes(quoted)));
    assert.not(naming.some((hint) => hint.replaceAll(quoted, '').includes('$(id)')));
  });

test.run();
