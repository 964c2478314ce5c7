import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildPackageToolSettings, listPipFolders } from '../../../lib/cell/egress/cell-registries.ts';
import { type PersonRegistries, readRegistries } from '../../../lib/cell/egress/read-registries.ts';
import { makeTempDir } from '../../support/repo.ts';

const source =
  '[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "sparse+https://crates.test/index/"\n';

test('EGR-2 a token of cargo goes to no mirror but the registry it is written for', () => {
  const tokens = '[registry]\ntoken = "of-crates-io"\n\n[registries.other]\ntoken = "of-other"\n';
  const cargo = (config: string, credentials: string): string | null | undefined =>
    personOf({ '.cargo/config.toml': config, '.cargo/credentials.toml': credentials }).crates?.authorization;
  assert.is(cargo(source, tokens), null);
  const other = `${source}[registries.other]\nindex = "sparse+https://other.test/index/"\n`;
  assert.is(cargo(other, tokens), null);
  const same = `${other}[registries."mine"]\n  index = "sparse+https://crates.test/index/" # of the mirror\n`;
  assert.is(cargo(same, tokens), null);
  assert.is(cargo(same, `${tokens}[registries.mine]\ntoken = "of-mine" # until May\n`), 'of-mine');
});

test("EGR-2 a registry that only has a credential becomes no main one in the cell's npmrc", () => {
  const token = '//npm.pkg.github.com/:_authToken=secret\n';
  assert.not.match(npmrcOf(token), /^registry=/m);
  assert.match(npmrcOf(`registry=https://npm.test/all/\n${token}`), /^registry=http:\/\/npm\.test\/all\/$/m);
  const scoped = npmrcOf(`@lena:registry=https://npm.pkg.github.com/\n${token}`);
  assert.match(scoped, /^@lena:registry=http:\/\/npm\.pkg\.github\.com\/$/m);
  assert.not.match(scoped, /^registry=/m);
  // npm asks it anyway.
  const own = npmrcOf(`${token}//registry.npmjs.org/:_authToken=secret\n`);
  assert.match(own, /^registry=http:\/\/registry\.npmjs\.org\/$/m);
});

test('EGR-2 a token out of a variable comes without its line end, and an escape that is none stops nothing', () => {
  const url = '//npm.test/';
  const person = personOf(
    { '.npmrc': `registry=https:${url}\r\n${url}:_authToken=\${NPM_TOKEN}\r\n` },
    { NPM_TOKEN: 'of-lena\r\n' },
  );
  assert.is(person.npmMain?.authorization, 'Bearer of-lena');
  const pip = personOf({
    '.config/pip/pip.conf': '[global]\nindex-url = https://le%na:se%20cret@py.test/simple\n',
  });
  const basic = `Basic ${Buffer.from('le%na:se cret').toString('base64')}`;
  assert.is(pip.registries[0]?.authorization, basic);
});

function npmrcOf(npmrc: string): string {
  const person = personOf({ '.npmrc': npmrc });
  const { files } = buildPackageToolSettings('http://127.0.0.1:1', {
    person,
    certificates: { env: {}, files: [] },
  });
  return files.find(({ path }) => path === '.npmrc')?.content ?? '';
}

/** What is read of a home with these files. */
function personOf(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): PersonRegistries {
  const home = makeTempDir('person');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), content);
  }
  return readRegistries({ ...env, HOME: home, npm_config_globalconfig: join(home, 'npmrc-of-all') });
}

test('EGR-2 of an index on this machine cells see what pip needs of it, and never a home or a place of keys', () => {
  const home = makeTempDir('home');
  const mirror = makeTempDir('mirror');
  for (const name of ['simple', 'packages', 'private']) mkdirSync(join(mirror, name));
  for (const path of ['simple', '.config/gh', '.ssh']) mkdirSync(join(home, path), { recursive: true });
  symlinkSync(join(home, '.ssh'), join(mirror, 'wheels'));
  const shown = (indexes: readonly string[], links: readonly string[] = []): readonly string[] =>
    listPipFolders({ pipFiles: { indexes, links } }, home).shown;
  assert.equal(shown([`file://${mirror}/simple/`]), [`${mirror}/simple/`, join(mirror, 'packages')]);
  assert.equal(shown([], [mirror, join(mirror, 'none')]), [mirror]);
  for (const hidden of [home, `${home}/.ssh`, `${home}/.config`, `${mirror}/wheels`, dirname(home), '/home', '/'])
    assert.equal(listPipFolders({ pipFiles: { indexes: [], links: [hidden] } }, home), {
      ...{ shown: [], hidden: [hidden] },
    });
  assert.equal(shown([`file://${home}/simple`]), [`${home}/simple`]);
  assert.equal(shown(['file://nas/wheels', 'file:///a%2Fb']), []);
});

test.run();
