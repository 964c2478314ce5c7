import * as assert from 'uvu/assert';
import { parseTaskId } from '../../lib/domain/ids.ts';
import { requireAccessible } from '../support/axe.ts';
import type { TestRepo } from '../support/repo.ts';
import { redRun } from '../ui/samples.ts';
import { barSays, pageSuite } from './browser.ts';

const { test, open, visit, run } = await pageSuite('the review page for everybody');

const source = `// A price, in cents.
export function price(items: readonly number[], rate = 0.2): number {
  const sum = items.reduce((total, item) => total + item, 0);
  return Math.round(sum * (1 + rate)); /* rounded */
}
`;

/** Something of all that a page can hold. */
function change(repo: TestRepo): void {
  repo.write('lib/shop/price.ts', source);
  repo.write('lib/shop/cart.ts', 'export const cart = [];\u202e\n');
  repo.git('mv', 'README.md', 'docs.md');
  repo.write('src/a.txt', 'A <i>\nb\n');
  repo.write('package-lock.json', '{}\n');
}

test('DSK-2: axe finds nothing wrong with one changeset and with several, whatever is open', async () => {
  const more = [{ id: parseTaskId('task-007'), title: 'Lock <b>out</b> after five' }];
  const served = await open([
    {
      ...{ group: 'shop', change, more },
      changeset: { diagnostics: [redRun], missing: [parseTaskId('task-009')] },
      task: { acceptance_criteria: ['It is cheap.'], constraints: ['No network.'] },
    },
    { group: 'docs', change },
  ]);
  void served.review();
  const { page } = await visit(served, { width: 1920, height: 1080 });
  await page.locator('td.c', { hasText: 'A price, in cents' }).waitFor();
  // The cost of each agent is read without being looked for, with the evidence beside the diff.
  const agents = page.locator('.proof .agents');
  assert.is(await agents.evaluate((table) => table.scrollWidth - table.clientWidth), 0);
  const [table, column] = [await agents.boundingBox(), await page.locator('.proof .block').first().boundingBox()];
  assert.ok(table !== null && column !== null && table.x + table.width <= column.x + column.width);
  await requireAccessible(page, 'as it opens');
  await page.locator('tr.d2h-ins td.n.w').nth(1).click();
  await page.getByRole('button', { name: 'Suggest changes' }).click();
  await requireAccessible(page, 'a comment that is written');
  await page.keyboard.press('Control+Enter');
  await page.locator('.suggested').waitFor();
  await requireAccessible(page, 'a suggestion that is kept');
  await page.keyboard.press('/');
  await page.keyboard.type('price');
  await page.locator('#find-count', { hasText: 'found' }).waitFor();
  await page.keyboard.press('Enter');
  await requireAccessible(page, 'the search');
  await page.keyboard.press('Escape');
  await page.locator('h1').click();
  for (const [key, dialog] of [
    ['r', '#answer-dialog'],
    ['a', '#answer-dialog'],
    ['e', '#answer-dialog'],
    ['?', '#help'],
  ] as const) {
    await page.keyboard.press(key);
    await page.locator(`${dialog}[open]`).waitFor();
    await requireAccessible(page, `the dialog behind ${key}`);
    await page.keyboard.press('Escape');
    await page.locator(`${dialog}[open]`).waitFor({ state: 'detached' });
  }
  await page.keyboard.press('v');
  await page.locator('html[data-layout="side"]').waitFor();
  await page.locator('table.side').first().waitFor({ state: 'attached' });
  await page.keyboard.press('s');
  await requireAccessible(page, 'side by side, a skip made ready');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await barSays(page, 'docs waits for you');
  await page.locator('h1', { hasText: 'docs' }).waitFor();
  await page.keyboard.press('t');
  await page.keyboard.type('nothing has this name');
  await requireAccessible(page, 'the second one, and a filter that finds nothing');
});

test('DSK-2: axe finds nothing wrong with a page that has nothing, and with one whose run has ended', async () => {
  const served = await open([{ group: 'shop', change: () => undefined }]);
  void served.review();
  const { page } = await visit(served);
  await barSays(page, 'shop waits for you');
  await requireAccessible(page, 'without a file');
  await served.page.close();
  await page.getByText('This run has ended.').first().waitFor();
  await requireAccessible(page, 'after its run');
});

run();
