import * as assert from 'uvu/assert';
import type { TestRepo } from '../support/repo.ts';
import { barSays, pageSuite, shot } from './browser.ts';

const { test, open, visit, run } = await pageSuite('large changes');

const numbered = (count: number, from: number): string =>
  Array.from({ length: count }, (_, at) => `line ${from + at}\n`).join('');

test('REV-3: of 50,000 changed lines those in view are drawn, the others when they come into view', async () => {
  const served = await open([
    {
      group: 'large',
      change: (repo) => {
        for (let file = 0; file < 250; file += 1)
          repo.write(`src/${String(file).padStart(3, '0')}.txt`, numbered(200, file * 200));
      },
    },
  ]);
  const reviewed = served.review();
  const { page } = await visit(served);
  await page.locator('tr', { hasText: /^1line 0$/ }).waitFor();
  const drawn = await page.locator('tr.d2h-ins').count();
  assert.ok(drawn < 10_000, `${drawn} rows at once`);
  await page.keyboard.press('End');
  await page.locator('td.c', { hasText: /^line 49999$/ }).waitFor();
  await shot(page, 'large');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('line 25000');
  await page.keyboard.press('Enter');
  await page.locator('tr.found td.c', { hasText: /^line 25000$/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await reviewed;
  assert.equal(served.decided, [['1-large', { kind: 'approve' }]]);
});

test('REV-3: a file of 50,000 lines is drawn in parts, each line once', async () => {
  const served = await open([
    { group: 'long', change: (repo) => repo.write('src/a.txt', `a\n${numbered(50_000, 0)}`) },
  ]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('td.c', { hasText: /^line 0$/ }).waitFor();
  assert.is(await page.locator('.part').count(), 167);
  await page.locator('.part').last().scrollIntoViewIfNeeded();
  await page.locator('td.c', { hasText: /^line 49999$/ }).waitFor();
  const last = page.locator('tr', { has: page.locator('td.c', { hasText: /^line 49999$/ }) });
  assert.is(await last.locator('td.n.w').textContent(), '50001');
});

test('REV-3: 10,000 files, each with its name and its line', async () => {
  const served = await open([
    {
      group: 'many',
      change: (repo) => {
        repo.write('src/99/9999.txt', 'old\n');
        repo.commit('before');
        repo.git('branch', '-f', 'main');
        for (let file = 0; file < 10_000; file += 1) repo.write(`src/${file % 100}/${file}.txt`, `file ${file}\n`);
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('.file').first().waitFor();
  assert.is(await page.locator('.file').count(), 10_000);
  await page.locator('td.c', { hasText: /^file 0$/ }).waitFor();
  // What is far away costs nothing at each change of the page: neither lines nor names of it are laid out.
  assert.is(await page.locator('.bunch').count(), 100);
  const inSight: number = await page.evaluate(
    `[...document.querySelectorAll('.file h2')].filter((head) => head.checkVisibility({ contentVisibilityAuto: true })).length`,
  );
  assert.ok(inSight > 0 && inSight < 1_000, `${inSight} names`);
  await page.locator('.file').last().scrollIntoViewIfNeeded();
  await page.locator('td.c', { hasText: /^file 9999$/ }).waitFor();
  await page.keyboard.press('v');
  await page.locator('table.side td.c', { hasText: /^file 9999$/ }).waitFor();
  await barSays(page, 'many waits for you');
});

test('REV-3: a filter that many files fit draws folders with their counts, and files as they are opened', async () => {
  const served = await open([
    {
      group: 'many',
      change: (repo) => {
        for (let file = 0; file < 450; file += 1) repo.write(`src/flat/${file}.txt`, 'x\n');
        repo.write('docs/one.txt', 'x\n');
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served);
  const [links, folders] = [page.locator('#file-tree a'), page.locator('#file-tree summary')];
  await folders.first().waitFor();
  await page.keyboard.press('t');
  await page.keyboard.type('txt');
  assert.equal(await folders.allTextContents(), ['docs/ 1', 'src/flat/ 450']);
  assert.is(await links.count(), 0);
  await folders.last().click();
  await links.nth(199).waitFor();
  assert.is(await links.count(), 200);
  await page.getByRole('button', { name: '250 more' }).press('Enter');
  await links.nth(399).waitFor();
  assert.is(await page.locator('#file-tree a:focus .name').textContent(), '279.txt');
  // What is marked leaves the tree as it is.
  await links.nth(0).click();
  await page.keyboard.press('m');
  await page.locator('#file-count', { hasText: '1 of 451 files viewed' }).waitFor();
  assert.is(await page.locator('#file-tree a.viewed').count(), 1);
  assert.is(await links.count(), 400);
  await page.locator('#file-filter').fill('44');
  assert.is(await folders.count(), 1);
  assert.is(await links.count(), 14);
});

test('REV-3: what is seen first comes with the page; where git takes long, the page is there before', async () => {
  let read = (): void => undefined;
  const diffsAfter = new Promise<void>((resolve) => {
    read = resolve;
  });
  const change = (repo: TestRepo): void => repo.write('src/a.txt', 'a\nb\n');
  const served = await open([{ group: 'slow', change }], { diffsAfter });
  void served.review();
  const early = await visit(served);
  await early.page.locator('#main', { hasText: 'Loading' }).waitFor();
  read();
  await early.page.locator('td.c', { hasText: /^b$/ }).waitFor();
  const late = await visit(served);
  await late.page.locator('td.c', { hasText: /^b$/ }).waitFor();
  const asked = ({ requests }: typeof late): number =>
    requests.filter((url) => new URL(url).pathname.startsWith('/api/changeset/')).length;
  assert.equal([asked(early), asked(late)], [1, 0]);
});

test('a layout that is chosen holds for each changeset, also for one that was looked at before', async () => {
  const change = (repo: TestRepo): void => repo.write('src/a.txt', 'a\nb\n');
  const served = await open([
    { group: 'one', change },
    { group: 'two', change },
  ]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('table.line').waitFor();
  await page.keyboard.press('j');
  await page.locator('h1', { hasText: 'two' }).waitFor();
  await page.keyboard.press('v');
  await page.locator('table.side').waitFor();
  await page.keyboard.press('k');
  await page.locator('h1', { hasText: 'one' }).waitFor();
  await page.locator('table.side').waitFor();
  assert.is(await page.locator('table.line').count(), 0);
});

test('lines that could not be loaded are loaded again by a press, and by themselves once the server is back', async () => {
  const served = await open([{ group: 'two', change: (repo) => repo.write('README.md', '# Later\n') }]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('table.side, table.line').first().waitFor();
  let isCut = true;
  await page.route(/api\/(changeset|events)/, (route) => (isCut ? route.abort() : route.continue()));
  await page.keyboard.press('v');
  const again = page.locator('.part.failed').getByRole('button', { name: 'Try again' });
  await again.waitFor();
  isCut = false;
  await again.click();
  await page.locator('table.side').waitFor();
  isCut = true;
  await page.reload();
  await page.locator('#message.gone').waitFor();
  await page.keyboard.press('v');
  await again.waitFor();
  isCut = false;
  await page.locator('table.line').waitFor();
});

test('REV-3: Ctrl+P prints every line, also those that were not in view and those of folded files', async () => {
  const served = await open([
    {
      group: 'printed',
      change: (repo) => {
        for (let file = 0; file < 40; file += 1)
          repo.write(`src/${String(file).padStart(3, '0')}.txt`, numbered(100, file * 100));
        repo.write('package-lock.json', '{}\n');
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('td.c', { hasText: /^line 0$/ }).waitFor();
  assert.ok((await page.locator('tr.d2h-ins').count()) < 4_001, 'not all is drawn before');
  const printed = new Promise<void>((resolve) => void page.exposeFunction('onPrinted', resolve));
  await page.evaluate(() => {
    Object.assign(globalThis, { print: () => Reflect.get(globalThis, 'onPrinted')() });
  });
  await page.keyboard.press('Control+p');
  await printed;
  await page.emulateMedia({ media: 'print' });
  const rows = page.locator('tr.d2h-ins');
  assert.is(await rows.count(), 4_001);
  assert.is(await rows.filter({ visible: true }).count(), 4_001);
  assert.is(await page.locator('.bar').isVisible(), false);
});

run();
