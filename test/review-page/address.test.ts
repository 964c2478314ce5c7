import * as assert from 'uvu/assert';
import { parseTaskId } from '../../lib/domain/ids.ts';
import { requireAccessible } from '../support/axe.ts';
import type { TestRepo } from '../support/repo.ts';
import { barSays, onBar, pageSuite } from './browser.ts';

const { test, open, visit, visitUrl, run } = await pageSuite('where the review page is');

const change = (repo: TestRepo): void => {
  repo.write('src/a.txt', 'a\nb\n');
  repo.write('src/ä #1.txt', 'c\n');
};

test('RVW-1: a changeset and a file of it have an address, which a reload, another tab and Back lead to', async () => {
  const served = await open(['one', 'two'].map((group) => ({ group, change })));
  void served.review();
  const { page, complaints } = await visit(served);
  await page.locator('h1', { hasText: 'one' }).waitFor();
  await page.locator('nav button[data-id="1-two"]').click();
  await page.locator('h1', { hasText: 'two' }).waitFor();
  assert.is(new URL(page.url()).hash, '#1-two');
  assert.match(await page.title(), /^● waits for you · two · /);
  await page.locator('#file-tree a', { hasText: 'ä #1.txt' }).click();
  await page.locator('.file[data-path="src/ä #1.txt"][aria-current]').waitFor();
  const address = page.url();
  await page.reload();
  await page.locator('.file[data-path="src/ä #1.txt"][aria-current]').waitFor();
  await page.locator('h1', { hasText: 'two' }).waitFor();
  const other = (await visitUrl(address)).page;
  await other.locator('h1', { hasText: 'two' }).waitFor();
  await other.locator('.file[data-path="src/ä #1.txt"][aria-current]').waitFor();
  await page.goBack();
  await page.goBack();
  await page.locator('h1', { hasText: 'one' }).waitFor();
  assert.equal(complaints, []);
});

test('RVW-1: an address that names nothing leads to what waits', async () => {
  const served = await open(['one', 'two'].map((group) => ({ group, change })));
  void served.review();
  for (const hash of ['#9-gone', '#%E0%A4%A', '#1-two/no/such/file.ts', '#/']) {
    const { page, complaints } = await visitUrl(`${served.page.url}${hash}`);
    await page.locator('h1', { hasText: hash.startsWith('#1-two') ? 'two' : 'one' }).waitFor();
    assert.equal(complaints, [], hash);
  }
});

test('RVW-2: the command to try a changeset is on the page, to be copied', async () => {
  const served = await open([{ group: 'one', change }]);
  void served.review();
  const { page, complaints } = await visit(served);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.is(await page.evaluate('navigator.clipboard.readText()'), 'git flame review --try one');
  await requireAccessible(page, 'a command that was copied');
  assert.equal(complaints, []);
});

test('DSK-2: a later round has a name of its own, and the one before it is folded', async () => {
  const earlier = { state: 'rejected', decided_by: 'Lea Lead <lea@example.com>', reason: 'No tests.' } as const;
  const served = await open([
    { group: 'api', change, changeset: earlier },
    { group: 'docs', change },
    { group: 'api', change, changeset: { id: '2-api' }, task: { id: parseTaskId('task-009') } },
  ]);
  void served.review();
  const { page } = await visit(served);
  await barSays(page, 'docs waits for you, and 1 more.');
  assert.equal(await page.locator('nav .group:visible').allTextContents(), ['docs', 'api · round 2']);
  await page.getByText('1 earlier round').click();
  await page.locator('nav button[data-id="1-api"]').click();
  await barSays(page, 'api was sent back by Lea Lead: No tests. 2 others wait for you.');
  assert.is(await page.locator('.bar button').count(), 1, 'nothing but Undo');
  await page.getByRole('link', { name: '2 others wait for you' }).click();
  await barSays(page, 'docs waits for you');
});

test('DSK-2: what is decided makes way for the next that waits, unless the person went there', async () => {
  const served = await open(['one', 'two'].map((group) => ({ group, change, changeset: {} })));
  served.change('1-two', { state: 'deferred' });
  void served.review();
  const [follows, stays] = [(await visit(served)).page, (await visitUrl(`${served.page.url}#1-one`)).page];
  await onBar(follows, 'a').click();
  await barSays(follows, 'one is approved');
  served.change('1-one', { state: 'landed' });
  served.change('1-two', { state: 'waiting' });
  await follows.locator('h1', { hasText: 'two' }).waitFor();
  assert.is(new URL(follows.url()).hash, '#1-two');
  await barSays(stays, 'one has landed');
  assert.is(await stays.locator('h1').textContent(), 'one');
});

run();
