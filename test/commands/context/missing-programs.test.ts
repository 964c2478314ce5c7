import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listMissingPrograms } from '../../../lib/commands/run-context/run-config.ts';
import { parseConfig } from '../../../lib/config/load-config.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { askToAllowTrustChanges } from '../../../lib/ui/questions/ask-in-command.ts';
import { makeFakeIo } from '../../support/fake-io.ts';
import { makeTempDir } from '../../support/repo.ts';
import { plainStyle } from '../../ui/samples.ts';

const onEnd = () => new FlameError({ kind: 'waiting', code: 'x', message: 'x', hints: [] });

test('DSK-4 an agent program that is not here is named before the person is asked to allow its use', async () => {
  const folder = makeTempDir('programs');
  const { config } = parseConfig(
    'roles: { worker: { adapter: codex }, validator: { adapter: none }, planner: { adapter: claude } }',
    '.blueflame.yml',
  );
  const missing = () => listMissingPrograms(config, { searchPath: `:${folder}`, root: folder });
  assert.equal(missing().toSorted(), ['claude', 'codex']);
  writeFileSync(join(folder, 'codex'), 'exit 1');
  chmodSync(join(folder, 'codex'), 0o755);
  assert.equal(missing(), ['claude']);
  const { io, stderr } = makeFakeIo({ isTTY: true, input: 'n\n' });
  assert.is(await askToAllowTrustChanges(io, [], { style: plainStyle(), onEnd, missing: missing() }), false);
  assert.match(stderr(), /claude is not installed here: no agent of it can start\.[\s\S]*Allow this\?/);
});

test('DSK-4 where scripts work, no program is missed for roles that the configuration leaves alone', () => {
  const folder = makeTempDir('programs');
  const { config } = parseConfig('roles: { worker: { adapter: exec } }', '.blueflame.yml');
  assert.equal(listMissingPrograms(config, { searchPath: folder, root: folder }), []);
});

test.run();
