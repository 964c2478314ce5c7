import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isKeyTrustedOn,
  parseTrustedMachineKey,
  readTrustedMachineKeys,
} from '../../../lib/commands/machines/run-in-shared-session.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { machineName, openCloneKey } from '../../../lib/trust/clone-key.ts';
import { makePrivateKey, maySignAs, publicKeyOf } from '../../../lib/util/machine-key.ts';
import { makeRepo, makeTempDir } from '../../support/repo.ts';

test('TRU-2 a key is trusted until a day by the configuration of the person, none where that says nothing', async () => {
  const repo = makeRepo();
  const context = { cwd: repo.path, env: repo.env };
  assert.equal(await readTrustedMachineKeys(context), []);
  repo.git('config', '--add', 'blueflame.trustedMachine', 'abc 2030-12-31');
  repo.git('config', '--add', 'blueflame.trustedMachine', 'def 2031-01-01');
  const trusted = await readTrustedMachineKeys(context);
  assert.equal(trusted, [
    { key: 'abc', until: '2030-12-31' },
    { key: 'def', until: '2031-01-01' },
  ]);
  const days = ['2030-12-31T23:59:59Z', '2031-01-01T00:00:00Z'].map((day) => new Date(day));
  assert.equal(
    days.map((day) => ['abc', 'def', 'ghi'].map((key) => isKeyTrustedOn(trusted, key, day))),
    [
      [true, true, false],
      [false, true, false],
    ],
  );
});

for (const value of ['abc', 'abc never', 'abc validate 2030-12-31', 'abc 2030-13-31', 'abc 2030-12-31 x'])
  test(`TRU-2 ${JSON.stringify(value)} is no such word, and is told as none`, () => {
    assert.throws(
      () => parseTrustedMachineKey(value),
      (error: unknown) => error instanceof FlameError && error.code === 'trusted-machine',
    );
  });

test('DST-1 a clone whose key is given has that key, and a name that is bound to it and to what it is called', () => {
  const repo = makeRepo();
  const key = makePrivateKey();
  const place = {
    env: { HOME: makeTempDir(), FLAME_MACHINE_KEY: key, FLAME_MACHINE_NAME: 'worker 3' },
    commonDir: `${repo.path}/.git`,
  };
  assert.is(openCloneKey(place).key, publicKeyOf(key));
  const name = machineName(place);
  assert.match(name, /^worker-3\/[0-9a-f]{8}-[0-9a-f]{20}$/);
  assert.ok(!maySignAs(name, null) && maySignAs(name, publicKeyOf(key)));
  assert.not(maySignAs(name, publicKeyOf(makePrivateKey())));
  assert.throws(
    () => openCloneKey({ ...place, env: { ...place.env, FLAME_MACHINE_KEY: 'x' } }),
    /FLAME_MACHINE_KEY holds no/,
  );
});

test.run();
