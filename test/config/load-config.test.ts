import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findConfigFile } from '../../lib/config/find-config-file.ts';
import { defaultConfig, loadConfig } from '../../lib/config/load-config.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { makeTempDir } from '../support/repo.ts';

async function failure(call: Promise<unknown>): Promise<FlameError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof FlameError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('no file means defaults (CFG-6)', async () => {
  const loaded = await loadConfig({ file: null });
  assert.equal(loaded.config, defaultConfig());
  assert.is(loaded.file, null);
  assert.is(loaded.text, null);
  assert.equal(loaded.warnings, []);
  assert.match(loaded.digest, /^[0-9a-f]{12}$/);
});

test('a file that says nothing has the digest of no file', async () => {
  const file = join(makeTempDir(), '.blueflame.yml');
  writeFileSync(file, 'schema_version: 1\n');
  const [none, some] = [await loadConfig({ file: null }), await loadConfig({ file })];
  assert.is(some.digest, none.digest);
  assert.is(some.file, file);
  assert.is(some.text, 'schema_version: 1\n');
});

test('mistakes name the file', async () => {
  const file = join(makeTempDir(), 'other.yml');
  writeFileSync(file, 'nope: 1\n');
  assert.is((await failure(loadConfig({ file }))).lines[0], 'other.yml:1:1  nope is not a known key');
});

test('a file that is none, or no UTF-8', async () => {
  const folder = makeTempDir();
  const missing = await failure(loadConfig({ file: join(folder, 'x.yml') }));
  assert.equal(
    [missing.code, missing.kind, missing.message],
    ['config-unreadable', 'environment', 'x.yml does not exist.'],
  );
  assert.match((await failure(loadConfig({ file: folder }))).message, 'is a folder.');
  const utf16 = join(folder, 'utf16.yml');
  writeFileSync(utf16, Buffer.from('\ufeffproject: {}', 'utf16le'));
  assert.is((await failure(loadConfig({ file: utf16 }))).message, 'utf16.yml is not UTF-8 text.');
});

test('a byte order mark does no harm', async () => {
  const file = join(makeTempDir(), '.blueflame.yml');
  writeFileSync(file, '\ufeffschema_version: 1\r\nproject:\r\n  name: é\r\n');
  assert.is((await loadConfig({ file })).config.project.name, 'é');
});

test('the file is looked for in the main work tree', async () => {
  const folder = makeTempDir();
  assert.is(await findConfigFile(folder), null);
  assert.is(await findConfigFile(folder, null), null);
  writeFileSync(join(folder, '.blueflame.yml'), '');
  assert.is(await findConfigFile(folder), join(folder, '.blueflame.yml'));
});

test('an override must be there', async () => {
  const folder = makeTempDir();
  writeFileSync(join(folder, 'a.yml'), '');
  assert.is(await findConfigFile(folder, 'a.yml'), join(folder, 'a.yml'));
  assert.is(await findConfigFile('/', join(folder, 'a.yml')), join(folder, 'a.yml'));
  const error = await failure(findConfigFile(folder, 'b.yml'));
  assert.equal(
    [error.code, error.kind, error.message],
    ['config-missing', 'environment', 'There is no configuration file b.yml.'],
  );
});

test('a name that is nearly right is not passed over in silence', async () => {
  const folder = makeTempDir();
  writeFileSync(join(folder, '.blueflame.yaml'), 'permissions: {allowed_paths: [docs/**]}\n');
  const error = await failure(findConfigFile(folder));
  assert.is(error.code, 'config-misnamed');
  assert.is(error.message, 'The configuration must be named .blueflame.yml, but this file is .blueflame.yaml.');
  assert.equal(error.hints, ['git mv .blueflame.yaml .blueflame.yml']);
  mkdirSync(join(folder, '.blueflame.yml'));
  const found = await findConfigFile(folder);
  assert.match((await failure(loadConfig({ file: found }))).message, '.blueflame.yml is a folder.');
});

test.run();
