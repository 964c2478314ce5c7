import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { makeTempDir } from '../support/repo.ts';

const root = packageRoot();

function packedFiles(): readonly string[] {
  const options = {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, npm_config_cache: makeTempDir() },
  } as const;
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--offline', '--ignore-scripts'], options),
  );
  return packed.files.map(({ path }: { readonly path: string }) => path);
}

test('ANY-3 every document that a packed document links is packed', () => {
  const files = new Set(packedFiles());
  const documents = [...files].filter((path) => path.endsWith('.md'));
  assert.ok(documents.length > 5, documents.join());
  const missing = documents.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)].map(([, link = '']) => link);
    return links
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => normalize(join(dirname(path), link)))
      .filter((link) => !files.has(link) && ![...files].some((file) => file.startsWith(link)))
      .map((link) => `${path}: ${link}`);
  });
  assert.equal(missing, []);
});

test('ANY-3 what is packed runs: program, build, hooks, templates, man page and licence', () => {
  const files = packedFiles();
  for (const name of ['bin/git-flame', 'dist/main.cjs', 'LICENSE', 'REFS.md', 'SECURITY.md', '.blueflame.example.yml'])
    assert.ok(files.includes(name), name);
  for (const folder of ['hooks/', 'templates/', 'bin/man/'])
    assert.ok(
      files.some((path) => path.startsWith(folder)),
      folder,
    );
  assert.equal(
    files.filter((path) => /^(?:test|lib|build|\.ci)\//.test(path)),
    [],
  );
});

test.run();
