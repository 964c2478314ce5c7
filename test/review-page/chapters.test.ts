import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { parseTaskId } from '../../lib/domain/ids.ts';
import type { ReadingGuide } from '../../lib/domain/state/reading-guide.ts';
import { renderExport } from '../../lib/ui/review-page/render-export.ts';
import { requireAccessible } from '../support/axe.ts';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { hostile } from '../ui/samples.ts';
import { barSays, pageSuite } from './browser.ts';

const { test, open, visit, visitUrl, run } = await pageSuite('a changeset read in its order');

const [first, second] = [parseTaskId('task-001'), parseTaskId('task-007')];
const noTest = { kind: 'no-test', reason: 'no test names it' } as const;
const claim = 'It <b>counts</b> \u202ebackwards "as asked"';

function change(repo: TestRepo): void {
  repo.write('a/config.ts', 'export const most = 5;\n');
  repo.write('lib/limit.ts', 'export const limit = 5;\n');
  repo.write('lib/server.ts', 'export const server = 1;\n');
  repo.write('test/limit.test.ts', 'test();\n');
  repo.write('bun.lock', 'a\n');
  repo.git('mv', 'README.md', 'docs.md');
}

/** Not in the order of their paths; a file that isn't there, and one that is left out. */
const size = { insertions: 1, deletions: 0 };
const guide = (): ReadingGuide => ({
  chapters: [
    {
      kind: 'subject',
      title: 'lib',
      isFolded: false,
      files: [
        { path: 'lib/limit.ts', ...size, why: { task: first, text: claim }, marks: [noTest] },
        {
          path: 'lib/server.ts',
          ...size,
          why: { task: second, text: `${hostile} ${'x'.repeat(10_000_000)}` },
          marks: [{ kind: 'public-name', reason: 'server is <gone>' }, noTest],
        },
        { path: 'lib/absent.ts', ...size, why: null, marks: [] },
      ],
    },
    {
      kind: 'tests',
      title: 'Tests',
      isFolded: false,
      files: [
        {
          path: 'test/limit.test.ts',
          ...size,
          why: null,
          marks: [{ kind: 'weaker-check', reason: '1 assertion fewer' }],
        },
      ],
    },
    { kind: 'moved', title: '1 file that only moved', isFolded: true, files: [plain('docs.md')] },
    { kind: 'generated', title: 'Generated', isFolded: true, files: [plain('bun.lock')] },
  ],
});

function plain(path: string): ReadingGuide['chapters'][number]['files'][number] {
  return { path, ...size, why: null, marks: [] };
}

const order = ['Subject: lib', 'Tests', '1 file that only moved', 'Generated', 'Other files'];
const sets = [{ group: 'limits', change, guide, more: [{ id: second, title: 'The server asks' }] }];

test('RVW-1: files are in chapters, in the order to read them, beside the diff too, which can be by folder', async () => {
  const served = await open(sets);
  void served.review();
  const { page, complaints } = await visit(served);
  await page.locator('td.c', { hasText: 'export const limit' }).waitFor();
  assert.equal(await page.locator('.chapter > summary h2').allTextContents(), order);
  assert.equal(await page.locator('.file:visible .name').allTextContents(), [
    'lib/limit.ts',
    'lib/server.ts',
    'test/limit.test.ts',
    'a/config.ts',
  ]);
  const folded = page.locator('.chapter:not([open]) > summary');
  assert.equal(
    (await folded.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()),
    ['1 file that only moved docs.md 1 file +0 −0', 'Generated bun.lock 1 file +1 −0'],
  );
  assert.equal(await page.locator('#file-tree summary bdi').allTextContents(), order);
  await page.getByRole('button', { name: 'By folder' }).click();
  assert.equal(await page.locator('#file-tree summary bdi').allTextContents(), ['lib/', 'test/', 'a/']);
  await requireAccessible(page, 'chapters');
  await page.reload();
  await page.getByRole('button', { name: 'By chapter' }).click();
  assert.is(await page.locator('#file-tree .chapter-name').count(), 5);
  assert.equal(complaints, []);
});

test('RVW-1: a reason is shown as the claim of its worker, bounded, and nothing in it acts', async () => {
  const served = await open(sets);
  void served.review();
  const { page, complaints } = await visit(served);
  const said = page.locator('.file[data-path="lib/limit.ts"] .why');
  await said.waitFor();
  assert.match(await said.innerText(), /^The worker of task-001 says:\s+.?It <b>counts<\/b> ⟦U\+202E⟧backwards/);
  assert.is(await said.locator('b').count(), 0);
  const long = await page.locator('.file[data-path="lib/server.ts"] .why q').textContent();
  assert.ok(long !== null && long.length <= 400 && long.endsWith('…') && !/[\u001b\u202e]/.test(long), long ?? '');
  assert.is(await page.locator('.why').count(), 2);
  assert.equal(complaints, []);
});

test('RVW-1: what deserves a second look is at the top, the gravest first, leads to its file, and is marked there', async () => {
  const served = await open(sets);
  void served.review();
  const { page } = await visit(served);
  await page.locator('.looks').waitFor();
  assert.equal(await page.locator('.looks dt').allTextContents(), ['weaker check', 'public name', 'no test']);
  assert.equal(
    (await page.locator('.looks li').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
    [
      'test/limit.test.ts 1 assertion fewer',
      'lib/server.ts server is <gone>',
      'lib/limit.ts, lib/server.ts no test names it',
    ],
  );
  await page.locator('.looks a', { hasText: 'test/limit.test.ts' }).press('Enter');
  const file = page.locator('.file[data-path="test/limit.test.ts"][aria-current]');
  await file.locator('.fold:focus').waitFor();
  assert.is(new URL(page.url()).hash, '#1-limits/test/limit.test.ts');
  assert.is(await file.locator('.mark').innerText(), 'weaker check 1 assertion fewer');
  assert.is(await page.locator('#file-tree .marked').count(), 3);
});

test('RVW-1: keys lead through chapters; a closed one is opened by Enter, by the search, or by its address', async () => {
  const served = await open(sets);
  void served.review();
  const { page } = await visit(served);
  await page.locator('td.c', { hasText: 'export const limit' }).waitFor();
  for (let times = 0; times < 4; times += 1) await page.keyboard.press('n');
  const moved = page.locator('.chapter', { hasText: '1 file that only moved' });
  await moved.locator('summary:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('n');
  assert.is(await page.locator('.file[aria-current] .name').textContent(), 'docs.md');
  await page.keyboard.press('m');
  await page.locator('#file-count', { hasText: '1 of 6 files viewed' }).waitFor();
  assert.is(await page.locator('#file-progress').evaluate((bar) => (bar as HTMLProgressElement).value), 1);
  assert.is(await page.locator('.file[data-path="bun.lock"]').isVisible(), false);
  await page.evaluate(`location.hash = '#1-limits/bun.lock'`);
  await page.locator('.file[data-path="bun.lock"][aria-current] td.c', { hasText: 'a' }).waitFor();
});

test('RVW-1: the review as a file has the same chapters, and links to their files, without a script', async () => {
  const served = await open(sets);
  const pieces: string[] = [];
  for await (const piece of renderExport(await served.source.read(), served.source, { layout: 'line', at: 'today' }))
    pieces.push(piece);
  const file = join(makeTempDir(), 'review.html');
  writeFileSync(file, pieces.join(''));
  const { page, complaints } = await visitUrl(`file://${file}`);
  assert.equal(await page.locator('.chapter > summary h2').allTextContents(), order);
  for (const [path, line] of [
    ['lib/limit.ts', 'export const limit = 5;'],
    ['a/config.ts', 'export const most = 5;'],
    ['bun.lock', 'a'],
  ] as const)
    assert.is(await page.locator(`.file[data-path="${path}"] td.c`).textContent(), line);
  await page.locator('.looks a', { hasText: 'test/limit.test.ts' }).click();
  await page.locator('.file:target', { hasText: 'test/limit.test.ts' }).waitFor();
  await page.locator('.chapter:not([open]) > summary', { hasText: 'Generated' }).click();
  await page.locator('.file[data-path="bun.lock"] td.c').waitFor();
  await requireAccessible(page, 'chapters in a file');
  assert.equal(complaints, []);
});

test('RVW-1: where no order can be had, files are shown by path and can be decided', async () => {
  const served = await open([
    {
      group: 'limits',
      change,
      guide: () => {
        throw new Error('no order');
      },
    },
  ]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('td.c', { hasText: 'export const limit' }).waitFor();
  assert.is(await page.locator('.file .name').first().textContent(), 'a/config.ts');
  assert.is(await page.locator('.chapter summary, .looks').count(), 0);
  await barSays(page, 'limits waits for you');
});

test('RVW-1: added lines that no test ran are marked at their numbers, in both layouts', async () => {
  const served = await open([
    {
      group: 'price',
      change: (repo) => repo.write('README.md', '# Sample\ntwo\nthree\nfour\n'),
      guide: () => ({
        chapters: [
          {
            kind: 'subject',
            title: 'README.md',
            isFolded: false,
            files: [
              {
                ...plain('README.md'),
                lines_not_run: [
                  [1, 2],
                  [4, 99],
                ],
              },
            ],
          },
        ],
      }),
    },
  ]);
  void served.review();
  const { page, complaints } = await visit(served);
  const marked = page.locator('td.not-run');
  await marked.first().waitFor();
  assert.equal(await marked.allTextContents(), ['2', '4']);
  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.locator('table.side td.not-run').first().waitFor();
  assert.equal(await marked.allTextContents(), ['2', '4']);
  assert.is(await marked.first().getAttribute('title'), 'No test ran this line.');
  await requireAccessible(page, 'lines not run');
  assert.equal(complaints, []);
});

run();
