import * as assert from 'uvu/assert';
import type { TestRepo } from '../support/repo.ts';
import { barSays, onBar, pageSuite, shot } from './browser.ts';

const { test, open, visit, run } = await pageSuite('everyday reviewing');

const source = `// A price, in cents.
export function price(items: readonly number[], rate = 0.2): number {
  const sum = items.reduce((total, item) => total + item, 0);
  return Math.round(sum * (1 + rate)); /* rounded
  to the cent */
}
`;

const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');

/** A file that was there before, with other lines. */
function replaceFile(repo: TestRepo, path: string, text: string): void {
  repo.write(path, 'old\n');
  repo.commit('before');
  repo.git('branch', '-f', 'main');
  repo.write(path, text);
}

test('DSK-2: files are found by name in a tree beside the diff, and marked as viewed until they change', async () => {
  const served = await open([
    {
      group: 'shop',
      change: (repo) => {
        repo.write('lib/shop/price.ts', source);
        repo.write('lib/shop/cart.ts', 'export const cart = [];\n');
        repo.write('docs/shop.md', '# Shop\n');
        repo.write('package-lock.json', '{}\n');
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served, { width: 1440, height: 900 });
  await page.locator('td.c', { hasText: 'A price, in cents' }).waitFor();
  await page.getByRole('button', { name: 'By folder' }).click();
  assert.equal(await page.locator('#file-tree summary').allTextContents(), ['lib/shop/', 'docs/']);
  assert.is(await page.locator('.file[data-path="package-lock.json"]').isVisible(), false);
  await shot(page, 'everyday');
  await page.keyboard.press('t');
  await page.keyboard.type('CART');
  assert.equal(await page.locator('#file-tree a .name').allTextContents(), ['cart.ts']);
  await page.locator('#file-tree a').click();
  assert.is(await page.locator('.file[aria-current] .name').textContent(), 'lib/shop/cart.ts');
  await page.keyboard.press('m');
  await page.locator('#file-count', { hasText: '1 of 4 files viewed' }).waitFor();
  await barSays(page, '1 of 4 files viewed.');
  await page.locator('#file-tree a.viewed', { hasText: 'cart.ts' }).waitFor();
  await page.reload();
  await page.locator('.file[data-path="lib/shop/cart.ts"][data-folded] .viewed input:checked').waitFor();
  assert.is(await page.locator('#file-count').textContent(), '1 of 4 files viewed');
});

test('DSK-2: the tree says in a letter and a word which files are new, gone or moved, and groups the digits of large numbers', async () => {
  const served = await open([
    {
      group: 'shop',
      change: (repo) => {
        for (const [path, text] of [
          ['gone.txt', 'no\n'],
          ['here.txt', 'one\n'],
          ['old/name.txt', numbered(9)],
        ] as const)
          repo.write(path, text);
        repo.commit('before');
        repo.git('branch', '-f', 'main');
        repo.git('rm', '-q', 'gone.txt');
        repo.git('mv', 'old/name.txt', 'name.txt');
        repo.write('here.txt', 'two\n');
        repo.write('big.txt', numbered(12_345));
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served);
  const entries = page.locator('#file-tree a');
  await page.getByRole('button', { name: 'By folder' }).click();
  await entries.nth(3).waitFor();
  assert.equal(await entries.allTextContents(), [
    'Aadded: big.txt+12,345 −0',
    'Ddeleted: gone.txt, look twice: deletion+0 −1',
    'here.txt+1 −1',
    'Rmoved: name.txt+0 −0',
  ]);
  assert.is(await entries.locator('.fate:not([aria-hidden])').count(), 0);
  assert.is(await page.locator('.head .plus').textContent(), '+12,346');
  await page.setViewportSize({ width: 390, height: 844 });
  const heights = await page.locator('.side').evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
  assert.is(heights, 0, 'nothing of the list is cut off on a phone');
  assert.is(await page.locator('.file[data-path="big.txt"] .counts').textContent(), '+12,345 −0');
});

test('DSK-2: the diff has the width of a laptop, and evidence that is opened stands beside it', async () => {
  const served = await open([{ group: 'shop', change: (repo) => replaceFile(repo, 'lib/shop/price.ts', source) }]);
  void served.review();
  const { page } = await visit(served, { width: 1440, height: 900 });
  const drawnAs = (layout: string): Promise<void> =>
    page.locator(`table.${layout} td.c`, { hasText: 'A price, in cents' }).waitFor();
  const diff = async () => (await page.locator('.files').boundingBox()) ?? { x: 0, width: 0 };
  for (const layout of ['line', 'side']) {
    await drawnAs(layout);
    assert.is(await page.locator('.proof[open]').count(), 0);
    const { width } = await diff();
    assert.ok(width > 1080, `${layout}: ${width} px`);
    await shot(page, `${layout}-laptop`);
    await page.keyboard.press('v');
  }
  await drawnAs('line');
  await page.locator('.proof > summary').click();
  await page.locator('.proof .agents').waitFor();
  const isBeside = async (): Promise<boolean> => {
    const { x, width } = await diff();
    return ((await page.locator('.proof[open]').boundingBox())?.x ?? 0) >= x + width;
  };
  assert.ok(await isBeside());
  await page.setViewportSize({ width: 1920, height: 1080 });
  assert.ok((await isBeside()) && (await diff()).width > 1080);
});

test('DSK-2: a list of twelve leaves the files below it in sight, and shows where the person is in it', async () => {
  const served = await open(
    Array.from({ length: 12 }, (_, at) => ({
      group: `part-${at + 1}`,
      change: (repo: TestRepo) => {
        repo.write(`src/${at}.txt`, 'one\n');
        repo.write('src/a.txt', 'two\n');
      },
    })),
  );
  void served.review();
  const { page } = await visit(served, { width: 1440, height: 900 });
  await page.locator('#changeset-place', { hasText: 'Changeset 1 of 12' }).waitFor();
  /** Once it is drawn where a pointer reaches it. */
  const seen = (selector: string): Promise<unknown> =>
    page.waitForFunction((wanted) => {
      const element = document.querySelector(wanted);
      if (element === null) return false;
      const { left, top, height } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(left + 5, top + height / 2));
    }, selector);
  for (let at = 2; at <= 12; at += 1) {
    await page.keyboard.press('j');
    await page.locator('#changeset-place', { hasText: `Changeset ${at} of 12` }).waitFor();
    await seen(`#changesets [data-id="1-part-${at}"][aria-current="true"]`);
    await seen(`#file-tree a[href="#1-part-${at}/src/a.txt"]`);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.keyboard.press('k');
  await page.locator('#changeset-place', { hasText: 'Changeset 11 of 12' }).waitFor();
  await seen('#changesets [data-id="1-part-11"][aria-current="true"]');
});

test('DSK-2: a click on the header of a file folds and unfolds it, wherever it is', async () => {
  const served = await open([
    {
      group: 'shop',
      change: (repo) => {
        repo.write('lib/shop.ts', 'export const shop = 1;\n');
        repo.write('bun.lock', `${'x'.repeat(30_000)}\n`);
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('.chapter', { hasText: 'bun.lock' }).locator('.names').click();
  const file = page.locator('.file[data-path="bun.lock"]');
  await file.locator('.note.folded').click();
  await file.locator('td.c', { hasText: 'xxx' }).waitFor();
  assert.is(await file.locator('.fold').getAttribute('aria-expanded'), 'true');
  await file.locator('.path .counts').click();
  assert.is(await file.locator('.fold').getAttribute('aria-expanded'), 'false');
  await file.locator('.fold').click();
  assert.is(await file.locator('.fold').getAttribute('aria-expanded'), 'true');
  // A mark as viewed folds it, once.
  await file.locator('.viewed').click();
  await page.locator('#file-count', { hasText: '1 of 2 files viewed' }).waitFor();
  assert.is(await file.locator('.fold').getAttribute('aria-expanded'), 'false');
});

test('DSK-2: a file that is new or gone has the whole width, with nothing to be beside it', async () => {
  const served = await open([
    {
      group: 'shop',
      change: (repo) => {
        replaceFile(repo, 'a.ts', 'new\n');
        repo.write('b.ts', source);
        repo.git('rm', '-q', 'README.md');
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('table.line').nth(2).waitFor();
  await page.keyboard.press('v');
  await page.locator('.file[data-path="a.ts"] table.side').waitFor();
  for (const path of ['b.ts', 'README.md']) await page.locator(`.file[data-path="${path}"] table.line`).waitFor();
});

test('DSK-2: lines around a change are shown on demand, some or all, and can be commented on', async () => {
  const lines = (change: (line: number) => string): string =>
    Array.from({ length: 200 }, (_, at) => `${change(at + 1)}\n`).join('');
  const served = await open([
    {
      group: 'shop',
      change: (repo) => {
        const old = lines((line) => `line ${line}`);
        repo.write('a.txt', old);
        repo.commit('before');
        repo.git('branch', '-f', 'main');
        repo.write('a.txt', old.replace('line 50\n', 'fifty\nmore\n').replace('line 120\n', ''));
      },
    },
  ]);
  const reviewed = served.review();
  const { page, complaints } = await visit(served);
  const rows = page.locator('.lines tr:not(.hunk)');
  const heads = page.locator('tr.hunk');
  await heads.nth(2).waitFor();
  const had = await rows.count();
  const headWords = (): Promise<readonly string[]> =>
    page.evaluate(
      "[...document.querySelectorAll('tr.hunk td')].map(({ firstChild }) => firstChild.data?.trim() ?? '')",
    );
  assert.equal((await headWords()).slice(0, 2), ['@@ -47,7 +47,8 @@ line 46', '@@ -117,7 +118,6 @@ line 116']);
  await heads.nth(0).getByRole('button', { name: '↑ 20 lines' }).click();
  await page.locator('tr.hunk', { hasText: '@@ -27,27 +27,28 @@' }).waitFor();
  assert.is(await rows.count(), had + 20);
  await heads.nth(1).getByRole('button', { name: '↓ 20 lines' }).click();
  await page.locator('td.c', { hasText: /^line 73$/ }).waitFor();
  assert.equal(
    await page
      .locator('tr', { hasText: /line 73$/ })
      .locator('td.n')
      .allTextContents(),
    ['73', '74'],
  );
  assert.equal((await headWords()).slice(0, 2), ['@@ -27,47 +27,48 @@ line 46', '@@ -117,7 +118,6 @@ line 116']);
  await heads.nth(2).getByRole('button', { name: 'to the end' }).click();
  await page.locator('td.c', { hasText: /^line 200$/ }).waitFor();
  await shot(page, 'context');
  await heads.nth(1).getByRole('button', { name: 'all' }).click();
  await heads.nth(1).waitFor({ state: 'detached' });
  assert.equal(await headWords(), ['@@ -27,174 +27,174 @@ line 46']);
  await heads.nth(0).getByRole('button', { name: 'whole file' }).click();
  await heads.nth(0).waitFor({ state: 'detached' });
  assert.equal(
    await page.locator('tr:not(.d2h-del) > td.c').allTextContents(),
    served.repo.git('show', 'shop:a.txt').trim().split('\n'),
  );
  await page
    .locator('tr', { hasText: /line 10$/ })
    .locator('td.n.w')
    .click();
  await page.keyboard.type('Also here.');
  await page.keyboard.press('Control+Enter');
  await barSays(page, '1 comment is sent');
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await reviewed;
  const comments = [{ path: 'a.txt', side: 'new', line: 10, text: 'Also here.' }];
  assert.equal(served.decided, [['1-shop', { kind: 'approve', comments }]]);
  assert.equal(complaints, []);
});

test('DSK-2: what is searched is found in every line, also in files that are folded or not drawn yet, and then around them', async () => {
  const many = (mark: string): string =>
    Array.from({ length: 3_000 }, (_, at) => `${at === 2_900 ? `the Needle ${mark}` : `line ${at}`}\n`).join('');
  const served = await open([
    {
      group: 'shop',
      change: (repo) => {
        for (const name of ['a', 'b', 'c']) repo.write(`src/${name}.txt`, many(name));
        repo.write('package-lock.json', many('locked'));
      },
      task: { description: 'Put a needle in there.' },
    },
  ]);
  void served.review();
  const { page, complaints } = await visit(served);
  await page.locator('.file[data-path="src/a.txt"] tr.d2h-ins').first().waitFor();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('NEEDLE');
  const says = (text: string) => page.locator('#find-count', { hasText: text }).waitFor();
  await says('5 found');
  const marked = (): Promise<readonly string[]> =>
    page.evaluate(`[...(CSS.highlights.get('found') ?? [])].map(String)`);
  await page.keyboard.press('Enter');
  await says('1 of 5');
  await page.locator('tr.found', { hasText: 'the Needle locked' }).waitFor();
  assert.is(await page.locator('.file[data-path="package-lock.json"][data-folded]').count(), 0);
  await page.keyboard.press('Shift+Enter');
  await says('5 of 5');
  await page.waitForFunction(`[...(CSS.highlights.get('found') ?? [])].join() === 'needle'`);
  await page.keyboard.press('Shift+Enter');
  await page.locator('tr.found', { hasText: 'the Needle c' }).waitFor();
  assert.equal(await marked(), ['Needle']);
  await shot(page, 'found');
  await page.locator('#find-text').fill('nowhere at all');
  await says('not found');
  await page.keyboard.press('Escape');
  await page.locator('#find').waitFor({ state: 'hidden' });
  assert.equal(complaints, []);
});

test('DSK-2: words have the colours of their language, side by side too, and no element is added for them', async () => {
  const served = await open([{ group: 'price', change: (repo) => replaceFile(repo, 'price.ts', source) }]);
  void served.review();
  const { page } = await visit(served);
  const coloured = (kind: string): Promise<readonly string[]> =>
    page.evaluate(
      `[...(CSS.highlights.get('code-${kind}') ?? [])].map(({ startContainer, startOffset, endContainer, endOffset }) => {
        const range = new Range();
        range.setStart(startContainer, startOffset);
        range.setEnd(endContainer, endOffset);
        return String(range);
      })`,
    );
  await page.locator('.part[data-coloured="typescript"]').waitFor();
  assert.equal(
    (await coloured('keyword')).filter((word) => word === 'export' || word === 'return'),
    ['export', 'return'],
  );
  assert.equal(await coloured('comment'), ['// A price, in cents.', '/* rounded', '  to the cent */']);
  assert.is(await page.locator('td.c span').count(), 0);
  // Live ones would be looked at again at each change of the page.
  const kinds: string = await page.evaluate(
    `[...new Set([...CSS.highlights.values()].flatMap((one) => [...one]).map(({ constructor }) => constructor.name))].join()`,
  );
  assert.is(kinds, 'StaticRange');
  await shot(page, 'colours');
  await page.keyboard.press('v');
  await page.locator('table.side').waitFor();
  await page.locator('.part[data-coloured="typescript"]').waitFor();
  assert.equal(
    (await coloured('keyword')).filter((word) => word === 'export' || word === 'return'),
    ['export', 'return'],
  );
});

test('DSK-2: a moved file shows what differs from the old one', async () => {
  const served = await open([
    {
      group: 'tidy',
      change: (repo) => {
        repo.git('mv', 'README.md', 'src/guide.md');
        repo.write('src/guide.md', '# Sample\nMore.\n');
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served);
  const moved = page.locator('.file[data-path="src/guide.md"]');
  await moved.locator('td.c', { hasText: 'More.' }).waitFor();
  assert.match((await moved.locator('.note').first().textContent()) ?? '', /^moved from README\.md, \d+ % similar$/);
  assert.is(await moved.locator('tr.d2h-del').count(), 0);
});

test('DSK-2: what differs in white space alone can be left out', async () => {
  const served = await open([{ group: 'indent', change: (repo) => repo.write('README.md', '#   Sample\nMore.\n') }]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('tr.d2h-ins').first().waitFor();
  assert.is(await page.locator('tr.d2h-ins').count(), 2);
  await page.keyboard.press('w');
  await page.locator('#space[aria-pressed="true"]').waitFor();
  await page.locator('tr.d2h-del').first().waitFor({ state: 'detached' });
  await page.locator('tr.d2h-ins', { hasText: 'More.' }).waitFor();
  assert.is(await page.locator('tr.d2h-ins').count(), 1);
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await barSays(page, 'indent is approved');
  assert.equal(served.decided, [['1-indent', { kind: 'approve' }]]);
});

test('DSK-2: the search of the browser finds what was never scrolled to', async () => {
  const served = await open([
    {
      group: 'wide',
      change: (repo) => {
        for (let file = 0; file < 40; file += 1) repo.write(`src/${file}.txt`, `${numbered(60)}needle in ${file}\n`);
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('td.c', { hasText: 'needle in 39' }).waitFor({ state: 'attached' });
  assert.is(await page.evaluate("window.find('needle in 39')"), true);
});

test('DSK-2: comments go along with an approval, and what was not sent outlives the tab', async () => {
  const served = await open([{ group: 'price', change: (repo) => repo.write('price.ts', source) }]);
  const reviewed = served.review();
  const first = await visit(served);
  await first.page.locator('td.n.w', { hasText: /^3$/ }).click();
  await first.page.keyboard.type('Name the unit.');
  await first.page.keyboard.press('Control+Enter');
  await first.page.keyboard.press('r');
  await first.page.keyboard.type('Perhaps not yet.');
  // The tab goes with the dialog open, once what was typed has come in.
  while (served.kept().drafts[0]?.texts.reason !== 'Perhaps not yet.') await first.page.waitForTimeout(20);
  await first.page.close();
  const { page } = await visit(served);
  await page.locator('.said', { hasText: 'Name the unit.' }).waitFor();
  await page.keyboard.press('r');
  assert.is(await page.getByLabel('Reason').inputValue(), 'Perhaps not yet.');
  await page.keyboard.press('Escape');
  await page.locator('#answer-dialog').waitFor({ state: 'detached' });
  await onBar(page, 'a').click();
  await reviewed;
  const comments = [{ path: 'price.ts', side: 'new', line: 3, text: 'Name the unit.' }];
  assert.equal(served.decided, [['1-price', { kind: 'approve', comments }]]);
});

test('DSK-2: a comment that the disk has no room for stays in the tab, which says so until it is kept', async () => {
  let isFull = true;
  const beforeKeep = (): void => {
    if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  const served = await open([{ group: 'price', change: (repo) => repo.write('price.ts', source) }], { beforeKeep });
  const { page } = await visit(served);
  const comment = async (line: RegExp, text: string): Promise<void> => {
    await page.locator('td.n.w', { hasText: line }).click();
    await page.keyboard.type(text);
    await page.keyboard.press('Control+Enter');
  };
  await comment(/^3$/, 'Name the unit.');
  const words = page.locator('#bar-words');
  await page
    .locator('#bar-words', { hasText: /in this tab alone\. The disk is full: ENOSPC.*Free some disk/ })
    .waitFor();
  await page.locator('.said', { hasText: 'Name the unit.' }).waitFor();
  await comment(/^4$/, 'And here.');
  isFull = false;
  while ((await words.textContent())?.includes('tab alone') === true) await page.waitForTimeout(20);
  assert.equal(
    served.kept().drafts[0]?.comments.map(({ text }) => text),
    ['Name the unit.', 'And here.'],
  );
});

test('DSK-2: a skip asks before it decides', async () => {
  const served = await open([{ group: 'price', change: (repo) => repo.write('price.ts', source) }]);
  const reviewed = served.review();
  const { page } = await visit(served);
  await page.locator('tr.d2h-ins').first().waitFor();
  await page.keyboard.press('s');
  await barSays(page, 'Press Enter to skip it');
  assert.equal(served.decided, []);
  await page.keyboard.press('Escape');
  await barSays(page, 'price waits for you');
  await page.keyboard.press('s');
  await page.keyboard.press('Enter');
  await reviewed;
  assert.equal(served.decided, [['1-price', { kind: 'skip' }]]);
});

test('DSK-2: a changeset of nothing but renames says from where, shows no line twice, and is approved like others', async () => {
  const served = await open([
    {
      group: 'tidy',
      change: (repo) => {
        repo.git('mv', 'README.md', 'docs.md');
        repo.git('mv', 'src/a.txt', 'src/b.txt');
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served);
  await barSays(page, 'tidy waits for you');
  assert.equal(await page.locator('.file .note').allTextContents(), [
    'moved from README.md, unchanged',
    'moved from src/a.txt, unchanged',
  ]);
  assert.is(await page.locator('.part').count(), 0);
  assert.match(await page.locator('.facts').innerText(), /2 files\s+\+0\s+−0/);
  await onBar(page, 'a').click();
  await barSays(page, 'tidy is approved');
});

test('D19: a line that begins right-to-left is drawn from the left, in both layouts', async () => {
  const hebrew = '\u05e9\u05dc\u05d5\u05dd = 1;';
  const served = await open([{ group: 'words', change: (repo) => repo.write('src/a.txt', `a\n${hebrew}\nb\n`) }]);
  void served.review();
  const { page } = await visit(served);
  const cell = page.locator('td.c', { hasText: hebrew });
  /** From the left of its cell, as for the line below it, in pixels. */
  const beginnings = (): Promise<readonly number[]> =>
    page.evaluate(`[...document.querySelectorAll('td.c')].filter(({ textContent }) => textContent.length > 0).map((cell) => {
      const range = new Range();
      range.selectNodeContents(cell);
      return Math.round(Math.min(...[...range.getClientRects()].map(({ left }) => left)) - cell.getBoundingClientRect().left);
    })`);
  for (const layout of ['line', 'side']) {
    await page.locator(`table.${layout}`).waitFor();
    await cell.waitFor();
    const all = await beginnings();
    assert.ok(Math.max(...all) - Math.min(...all) <= 1, `${layout}: ${all.join(', ')}`);
    await page.keyboard.press('v');
  }
});

run();
