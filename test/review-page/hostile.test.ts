import { chmodSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { onBar, pageSuite, shot } from './browser.ts';
import type { Served } from './fixture.ts';

const { test, open, visit, run } = await pageSuite('hostile changes');

interface Shown {
  readonly page: Page;
  readonly served: Served;
  /** Every line of the page, files opened. */
  readonly text: string;
  readonly paths: readonly string[];
}

/** A page with one changeset, all of its files opened and loaded. */
async function show(change: (repo: TestRepo) => void, task = {}): Promise<Shown> {
  const served = await open([{ group: 'auth', change, task }]);
  void served.review();
  const { page, complaints, requests } = await visit(served);
  await page.locator('.changeset').waitFor();
  const closed = page.locator('.chapter:not([open]) > summary');
  while ((await closed.count()) > 0) await closed.first().click();
  for (const fold of await page.locator('.file[data-folded] .fold').all()) await fold.click();
  await page.locator('.part:empty').first().waitFor({ state: 'detached' });
  const text = (await page.locator('#main').textContent()) ?? '';
  assert.equal(complaints, []);
  assert.equal(await page.evaluate('window.pwned ?? null'), null);
  const { origin } = new URL(served.page.url);
  assert.ok(
    requests.every((url) => url.startsWith(`${origin}/`) || url === 'data:,'),
    requests.join('\n'),
  );
  await assertTotals(page, served);
  return { page, served, text, paths: await page.locator('.file .name').allTextContents() };
}

/** As many lines are drawn as git counts; what it calls binary was only added to. */
async function assertTotals(page: Page, { repo }: Served): Promise<void> {
  const rows = repo
    .git(...'diff-tree -r -z --numstat --no-textconv main auth'.split(' '))
    .split('\0')
    .filter(Boolean);
  const lines = (commit: string, path: string): number => {
    const blob = repo
      .git('ls-tree', '-r', '-z', commit)
      .split('\0')
      .find((row) => row.endsWith(`\t${path}`));
    return blob === undefined ? 0 : countLines(repo.git('cat-file', 'blob', blob.split(/[ \t]/)[2] ?? ''));
  };
  // What was moved as it was shows no line at all, on either side.
  const moved = repo.git('diff-tree', '-r', '-M100%', '--no-rename-empty', '--diff-filter=R', '--raw', 'main', 'auth');
  const isMoved = (path: string): boolean => path !== '' && moved.includes(`\t${path}`);
  const counts = rows.map((row) => {
    const [added = '', removed = '', path = ''] = row.split('\t');
    if (isMoved(path)) return [0, 0];
    return added === '-' ? [lines('auth', path) - lines('main', path), 0] : [Number(added), Number(removed)];
  });
  const sum = (column: 0 | 1): number => counts.reduce((total, row) => total + (row[column] ?? 0), 0);
  assert.is(await page.locator('tr.d2h-ins').count(), sum(0));
  assert.is(await page.locator('tr.d2h-del').count(), sum(1));
}

/** Of text whose last line break was taken off. */
function countLines(text: string): number {
  return text.split('\n').length;
}

test('REV-4: code behind a bare carriage return is shown, and no line of it becomes a file', async () => {
  const { text, paths, page } = await show((repo) => {
    repo.write('a.js', 'const a = 2; // harmless\rconsole.log("HIDDEN_CODE_RAN")\n');
    repo.write('b.js', 'x\rdiff --git a/fake.js b/fake.js\r--- a/fake.js\r+++ b/fake.js\r@@ -1 +1 @@\r-old\r+new\n');
    repo.write(
      'c.txt',
      '++ b/fake.js\n@@ -1,3 +1,3 @@\ndiff --git a/fake.js b/fake.js\n\\ No newline at end of file\nend',
    );
  });
  assert.match(text, 'const a = 2; // harmless⟦CR⟧console.log("HIDDEN_CODE_RAN")');
  assert.match(text, 'x⟦CR⟧diff --git a/fake.js b/fake.js⟦CR⟧--- a/fake.js⟦CR⟧+++ b/fake.js');
  assert.match(text, '\\ No newline at end of file');
  assert.match(text, 'end⟦no newline at the end⟧');
  assert.equal(paths, ['a.js', 'b.js', 'c.txt']);
  await shot(page, 'hidden-code');
});

test('REV-4: what reorders or hides text is made visible, in content, names and titles', async () => {
  const { text, paths } = await show(
    (repo) => {
      repo.write('a.js', 'if (a\u202e\u2066 // ok\u2069) {\u200b}\u001b[2J\u0000\na\u00a0b\n');
      repo.write('gnp\u202etxt.js', 'x\n');
      writeFileSync(join(repo.path, 'latin.txt'), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
      writeFileSync(Buffer.concat([Buffer.from(`${repo.path}/b`), Buffer.from([0xff]), Buffer.from('.txt')]), 'y\n');
    },
    {
      title: 'Fix \u202e<script>window.pwned = 1</script>',
      description: '</div><img src=x onerror="window.pwned=2">',
    },
  );
  assert.match(text, 'if (a⟦U+202E⟧⟦U+2066⟧ // ok⟦U+2069⟧) {⟦U+200B⟧}⟦ESC⟧[2J⟦NUL⟧');
  assert.match(text, 'caf⟦0xE9⟧');
  assert.equal([...paths].sort(), ['a.js', 'b⟦0xFF⟧.txt', 'gnp⟦U+202E⟧txt.js', 'latin.txt']);
  assert.match(text, 'Fix ⟦U+202E⟧<script>window.pwned = 1</script>');
  assert.match(text, '</div><img src=x onerror="window.pwned=2">');
});

test('REV-1: names with HTML, quotes and line breaks are names', async () => {
  const names = [
    '<img src=x onerror=window.pwned=1>.txt',
    '"><script>window.pwned=2<.txt',
    'it\'s "quoted" & more.txt',
    'two\nlines.txt',
    'tab\there.txt',
    '日本語.txt',
  ];
  const { paths } = await show((repo) => {
    for (const name of names) repo.write(name, '<b onclick="window.pwned=3">x</b>\n');
  });
  assert.equal([...paths].sort(), names.map((name) => name.replace('\t', '    ')).sort());
});

test('REV-4: attributes, external drivers, textconv and settings blank nothing', async () => {
  const { text } = await show((repo) => {
    repo.git('config', 'diff.external', '/bin/true');
    repo.git('config', 'diff.blank.textconv', 'true');
    repo.git('config', 'diff.blank.binary', 'true');
    repo.git('config', 'diff.noprefix', 'true');
    repo.git('config', 'diff.context', '0');
    repo.git('config', 'color.ui', 'always');
    repo.git('config', 'diff.suppressBlankEmpty', 'true');
    repo.write('.gitattributes', '*.js -diff\n*.txt diff=blank\n');
    repo.write('src/evil.js', 'evil()\n');
    repo.write('src/a.txt', 'a\n\nshown\n');
  });
  assert.match(text, 'evil()');
  assert.match(text, 'shown');
});

test('REV-4: binary files, modes, links, submodules, moves, empty and changed kinds are told', async () => {
  const { page } = await show((repo) => {
    mkdirSync(join(repo.path, 'src'), { recursive: true });
    writeFileSync(join(repo.path, 'logo.png'), Buffer.from('89504e470d0a1a0a0000000d494844520a00ff00', 'hex'));
    writeFileSync(join(repo.path, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(repo.path, 'run.sh'), 0o755);
    symlinkSync('/etc/passwd', join(repo.path, 'link'));
    unlinkSync(join(repo.path, 'README.md'));
    repo.write('MOVED.md', '# Sample\n');
    repo.write('empty.txt', '');
    unlinkSync(join(repo.path, 'src/a.txt'));
    symlinkSync('../README.md', join(repo.path, 'src/a.txt'));
    repo.git('init', '-q', 'sub');
    repo.git('-C', 'sub', 'commit', '-q', '--allow-empty', '-m', 'of another repository');
  });
  const notes = async (path: string): Promise<readonly string[]> =>
    page
      .locator('.file', { has: page.locator('.name', { hasText: new RegExp(`^${path}$`) }) })
      .locator('.note')
      .allTextContents();
  assert.equal(await notes('logo.png'), ['new', 'binary, 20 bytes']);
  assert.equal(await notes('run.sh'), ['new', 'executable']);
  assert.equal(await notes('link'), ['new', 'symbolic link']);
  assert.equal(await notes('MOVED.md'), ['moved from README.md, unchanged']);
  assert.equal(await notes('empty.txt'), ['new', 'empty']);
  assert.equal(await notes('sub'), ['new', 'submodule']);
  assert.equal(await notes('src/a.txt'), ['type changed', '100644 → 120000 (symbolic link)']);
  await shot(page, 'kinds');
});

test('a change of nothing but a mode is shown as what it is', async () => {
  const { page, text } = await show((repo) => chmodSync(join(repo.path, 'src/a.txt'), 0o755));
  assert.match(text, 'only the mode changed');
  assert.match(text, '100644 → 100755 (executable)');
  assert.is(await page.locator('.part').count(), 0);
});

test('a line of a megabyte is shown to its end', async () => {
  const { page } = await show((repo) => repo.write('src/a.txt', `a\n${'x'.repeat(1 << 20)}END\n`));
  const text = await page.locator('tr.d2h-ins td.c').textContent();
  assert.is(text?.length, (1 << 20) + 3);
  await shot(page, 'long-line');
});

test('REV-4: a diff that is not what git counts is not drawn, and cannot be approved on the page', async () => {
  const folder = makeTempDir();
  const wrapper = `#!/bin/sh\nPATH="\${PATH#*:}"\ncase " $* " in\n*" -p "*) git "$@" | sed '/^+secret/d' ;;\n*) exec git "$@" ;;\nesac\n`;
  writeFileSync(join(folder, 'git'), wrapper);
  chmodSync(join(folder, 'git'), 0o755);
  const served = await open([{ group: 'auth', change: (repo) => repo.write('src/a.txt', 'a\nsecret\n') }], {
    env: { PATH: `${folder}:${process.env.PATH ?? ''}` },
  });
  void served.review();
  const { page } = await visit(served);
  await page.getByText('is not shown, because it does not match what git counts').waitFor();
  assert.is(await page.locator('.file').count(), 0);
  assert.ok(await onBar(page, 'a').isDisabled());
  assert.not.ok(await onBar(page, 'r').isDisabled());
  await shot(page, 'mismatch');
});

run();
