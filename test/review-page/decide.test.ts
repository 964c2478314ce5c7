import * as assert from 'uvu/assert';
import { parseTaskId } from '../../lib/domain/ids.ts';
import { ChangesetHtml } from '../../lib/ui/review-page/changeset-html.ts';
import { requireAccessible } from '../support/axe.ts';
import type { TestRepo } from '../support/repo.ts';
import { redRun, sampleChangeset } from '../ui/samples.ts';
import { barSays, onBar, pageSuite, shot } from './browser.ts';
import type { Served } from './fixture.ts';

const { test, open, visit, run } = await pageSuite('review page');

test('REV-2: a changeset is approved with a click, and the gate that waits has its answer', async () => {
  const served = await open([{ group: 'auth', change: (repo) => repo.write('src/a.txt', 'a\nb <b>bold</b>\n') }]);
  const reviewed = served.review();
  const { page, requests, complaints } = await visit(served);
  await page.getByText('b <b>bold</b>').waitFor();
  await onBar(page, 'a').click();
  await reviewed;
  assert.equal(served.decided, [['1-auth', { kind: 'approve' }]]);
  await page.locator('#bar-words', { hasText: 'auth is approved by Lea Lead' }).waitFor();
  const origin = new URL(served.page.url).origin;
  assert.equal(
    requests.filter((url) => !url.startsWith(`${origin}/`) && url !== 'data:,'),
    [],
  );
  assert.equal(complaints, []);
  await shot(page, 'approved');
});

test('REV-2: once all is decided the page says that nothing here waits, and who approved what has landed', async () => {
  const served = await open([{ group: 'auth', change: (repo) => repo.write('src/a.txt', 'a\nb\n') }]);
  const reviewed = served.review();
  const { page } = await visit(served);
  await onBar(page, 'a').click();
  await reviewed;
  served.change('1-auth', { state: 'landed' });
  await page.locator('#bar-words', { hasText: 'auth has landed, approved by Lea Lead.' }).waitFor();
  await page.getByText('No changeset waits for you now').first().waitFor();
});

const twoFiles = (repo: TestRepo): void => {
  repo.write('src/a.txt', 'a\nb\nc\n');
  repo.write('src/new.txt', 'one\ntwo\nthree\n');
};

test('REV-2: keys alone: j and k, n, v, a with Enter, s, r with a reason', async () => {
  const served = await open(['auth', 'docs', 'api'].map((group) => ({ group, change: twoFiles })));
  const reviewed = served.review();
  const { page, complaints } = await visit(served);
  await page.locator('tr', { hasText: 'three' }).waitFor();
  await page.keyboard.press('j');
  await page.locator('h1', { hasText: 'docs' }).waitFor();
  await page.keyboard.press('k');
  await page.locator('h1', { hasText: 'auth' }).waitFor();
  await page.keyboard.press('n');
  assert.is(await page.locator('.file[aria-current] .name').textContent(), 'src/a.txt');
  await page.keyboard.press('n');
  assert.is(await page.locator('.file[aria-current] .name').textContent(), 'src/new.txt');
  await page.keyboard.press('v');
  await page.locator('table.side').first().waitFor();
  await shot(page, 'side');
  await page.keyboard.press('v');
  await page.locator('table.line').first().waitFor();
  await page.keyboard.press('a');
  await barSays(page, 'Press Enter to approve it');
  assert.equal(served.decided, []);
  await page.keyboard.press('Enter');
  await page.locator('h1', { hasText: 'docs' }).waitFor();
  await barSays(page, 'docs waits for you');
  await page.keyboard.press('s');
  await page.keyboard.press('Enter');
  await page.locator('h1', { hasText: 'api' }).waitFor();
  await barSays(page, 'api waits for you');
  await page.keyboard.press('r');
  await shot(page, 'reject');
  await page.keyboard.press('Control+Enter');
  // The browser itself asks for what is needed.
  await page.locator('textarea:invalid').waitFor();
  await page.keyboard.type('No tests.');
  await page.keyboard.press('Control+Enter');
  await reviewed;
  assert.equal(served.decided, [
    ['1-auth', { kind: 'approve' }],
    ['1-docs', { kind: 'skip' }],
    ['1-api', { kind: 'reject', reason: 'No tests.' }],
  ]);
  assert.equal(complaints, []);
});

test('MRG-11: comments on lines go along with a reject, on the side they are about', async () => {
  const served = await open([{ group: 'auth', change: (repo) => repo.write('src/a.txt', 'A <i>\nb\n') }]);
  const reviewed = served.review();
  const { page } = await visit(served);
  await page.locator('tr.d2h-del td.n.o').click();
  await page.keyboard.type('Why is it gone?');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.locator('tr.d2h-ins td.n.w').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('c');
  await page.keyboard.type('Close <this>.');
  await page.keyboard.press('Control+Enter');
  await page.locator('.said', { hasText: 'Close <this>.' }).waitFor();
  await barSays(page, '2 comments are sent with your decision');
  await shot(page, 'comments');
  await page.reload();
  await page.locator('.said', { hasText: 'Close <this>.' }).waitFor();
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: 'Send back' });
  await dialog.getByRole('listitem').filter({ hasText: 'Close <this>.' }).waitFor();
  await dialog.getByLabel('Reason').fill('Two remarks.');
  await dialog.getByRole('button', { name: 'Send back with this reason' }).click();
  await reviewed;
  const comments = [
    { path: 'src/a.txt', side: 'old', line: 1, text: 'Why is it gone?' },
    { path: 'src/a.txt', side: 'new', line: 2, text: 'Close <this>.' },
  ];
  assert.equal(served.decided, [['1-auth', { kind: 'reject', reason: 'Two remarks.', comments }]]);
});

test('DSK-2: a comment that is kept can be deleted, and had back; the control for one is beside the line', async () => {
  const served = await open([{ group: 'auth', change: (repo) => repo.write('src/a.txt', 'A\n') }]);
  const reviewed = served.review();
  const { page, complaints } = await visit(served);
  const line = page.locator('tr.d2h-ins').first();
  const control = (): Promise<string> =>
    line.locator('td.n.w').evaluate((cell) => getComputedStyle(cell, '::before').content);
  assert.is(await control(), 'none');
  await line.locator('td.c').hover();
  assert.is(await control(), '"+"');
  await line.locator('td.n.w').click();
  await page.keyboard.type('Why?');
  await page.keyboard.press('Control+Enter');
  await barSays(page, '1 comment is sent');
  await page.getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByText('Comment deleted.').waitFor();
  await barSays(page, 'auth waits for you.');
  await page.keyboard.press('Enter');
  await page.locator('.said', { hasText: 'Why?' }).waitFor();
  await barSays(page, '1 comment is sent');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.reload();
  await line.waitFor();
  assert.is(await page.locator('.said').count(), 0);
  await onBar(page, 'a').click();
  await reviewed;
  assert.equal(served.decided, [['1-auth', { kind: 'approve' }]]);
  assert.equal(complaints, []);
});

test('DSK-2: on a telephone a touched line shows the control that opens a comment on it', async () => {
  const served = await open([{ group: 'auth', change: (repo) => repo.write('src/a.txt', 'A\n') }]);
  void served.review();
  const { page } = await visit(served);
  const phone = await page
    .context()
    .browser()
    ?.newContext({ hasTouch: true, viewport: { width: 390, height: 844 } });
  assert.ok(phone !== undefined);
  const touched = await phone.newPage();
  await touched.goto(served.page.url);
  const line = touched.locator('tr.d2h-ins').first();
  await line.locator('td.c').tap();
  await line.locator('td.n.w:focus').waitFor();
  await line.locator('td.n.w').tap();
  await touched.getByLabel('Comment on line 1 of src/a.txt').waitFor();
});

test('DSK-2: what a rejection would do to other work is shown while it waits, not once it is decided', async () => {
  const onTop = [{ task: 'task-009', group: 'docs', outcome: 'waits', paths: [] }] as const;
  const shown = new ChangesetHtml({
    patch: async () => ({ files: [] }),
    since: async () => null,
    text: async () => null,
    guide: async () => ({ chapters: [] }),
  });
  const article = (state: 'waiting' | 'landed'): Promise<string> =>
    shown.article(
      {
        changeset: sampleChangeset({ state }),
        ...{ isUndoable: false, tryCommand: null, tasks: [], verdicts: [], doubts: [], runs: [] },
      },
      { layout: 'line', ignoresSpace: false, isSince: false },
      { onTop: async () => onTop },
    );
  assert.match(await article('waiting'), 'also affects docs');
  assert.not.match(await article('landed'), 'also affects docs');
});

test('DSK-2: the guide is of the patch that is shown, which is read once; ignoring space, of the whole one', async () => {
  const asked: unknown[] = [];
  const guided: unknown[] = [];
  const shown = new ChangesetHtml({
    patch: async (_, { ignoresSpace }) => {
      asked.push(ignoresSpace);
      return { files: [], ignoresSpace };
    },
    since: async () => null,
    text: async () => null,
    guide: async (_, patch) => {
      guided.push(patch);
      return { chapters: [] };
    },
  });
  const facts = {
    changeset: sampleChangeset(),
    ...{ isUndoable: false, tryCommand: null, tasks: [], verdicts: [], doubts: [], runs: [] },
  };
  await shown.article(facts, { layout: 'line', ignoresSpace: false, isSince: false });
  assert.equal(asked, [false]);
  await shown.article(facts, { layout: 'line', ignoresSpace: true, isSince: false });
  assert.equal([asked, guided], [[false, true], [{ files: [], ignoresSpace: false }]]);
});

test('DSK-2: a draft is there after a reload that overtakes the request that keeps it', async () => {
  const served = await open([{ group: 'auth', change: (repo) => repo.write('src/a.txt', 'A\n') }]);
  const { page } = await visit(served);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/keep', async (route) => {
    await released;
    await route.abort();
  });
  await page.locator('tr.d2h-ins td.n.w').first().click();
  await page.keyboard.type('Why?');
  await page.keyboard.press('Control+Enter');
  await page.locator('.said', { hasText: 'Why?' }).waitFor();
  await page.reload();
  await page.locator('.said', { hasText: 'Why?' }).waitFor();
  release();
});

test('DSK-2: an answer that is opened while another one is being closed stays open', async () => {
  const served = await open([{ group: 'auth', change: (repo) => repo.write('src/a.txt', 'A\n') }]);
  const { page } = await visit(served);
  void served.review();
  await barSays(page, 'auth waits for you');
  const isOpen = (title: string) => page.getByRole('dialog', { name: title }).waitFor({ timeout: 10_000 });
  await page.keyboard.press('r');
  await isOpen('Send back');
  for (let times = 0; times < 10; times += 1)
    for (const [key, title] of [
      ['e', 'Approve with a message'],
      ['r', 'Send back'],
    ] as const) {
      await Promise.all([page.keyboard.press('Escape'), page.keyboard.press(key)]);
      await isOpen(title);
    }
});

test('DSK-2: a comment on several lines: by drag, by Shift and a click, by keys; what is typed outlives its tab', async () => {
  const change = (repo: TestRepo): void => repo.write('src/a.txt', '1\n2\n3\n4\n5\n');
  const served = await open([{ group: 'auth', change }]);
  const reviewed = served.review();
  const { page, complaints } = await visit(served);
  const number = (line: number) => page.locator('tr.d2h-ins td.n.w').nth(line - 1);
  await number(1).hover();
  await page.mouse.down();
  await number(3).hover();
  assert.is(await page.locator('tr.picked').count(), 3);
  await page.mouse.up();
  await page.getByLabel('Comment on lines 1-3 of src/a.txt').fill('By drag.');
  await page.keyboard.press('Control+Enter');
  await number(5).click();
  await number(4).click({ modifiers: ['Shift'] });
  await page.getByLabel('Comment on lines 4-5 of src/a.txt').fill('By click.');
  await shot(page, 'range');
  await page.keyboard.press('Control+Enter');
  await number(2).focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('c');
  const editor = page.getByLabel('Comment on lines 2-3 of src/a.txt');
  const isKept = page.waitForRequest((request) => request.postData()?.includes('By keys.') === true);
  await editor.fill('By keys.');
  await isKept;
  await page.reload();
  await page.locator('.said', { hasText: 'By keys.' }).waitFor();
  await barSays(page, '3 comments are sent with your decision');
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await reviewed;
  const at = { path: 'src/a.txt', side: 'new' };
  const comments = [
    { ...at, line: 1, to: 3, text: 'By drag.' },
    { ...at, line: 4, to: 5, text: 'By click.' },
    { ...at, line: 2, to: 3, text: 'By keys.' },
  ];
  assert.equal(served.decided, [['1-auth', { kind: 'approve', comments }]]);
  assert.equal(complaints, []);
});

test('DSK-3: the message it lands with is seen and edited as it is approved, what does not fit is said there, and a draft of it stays', async () => {
  const served = await open([{ group: 'auth', change: twoFiles }]);
  const reviewed = served.review();
  const { page, complaints } = await visit(served);
  await barSays(page, 'auth waits for you');
  await page.keyboard.press('e');
  const text = page.getByLabel('Commit message').and(page.locator(':read-write'));
  assert.is(await text.inputValue(), '1-auth: as proposed\n');
  await text.fill('Add $(touch pwned)');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').filter({ hasText: 'It must begin with feat.' }).waitFor();
  await shot(page, 'message');
  await text.fill('feat: $(touch pwned) `id`\n\nWhy: <b>');
  while (served.kept().drafts[0]?.texts.message?.startsWith('feat') !== true) await page.waitForTimeout(20);
  await page.reload();
  await barSays(page, 'auth waits for you');
  assert.is((await post(served, { kind: 'approve', message: 'no' })).status, 422);
  await page.keyboard.press('e');
  await text.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+Enter');
  await reviewed;
  const message = 'feat: $(touch pwned) `id`\n\nWhy: <b>';
  assert.equal(served.decided, [['1-auth', { kind: 'approve', message }]]);
  assert.equal(
    complaints.filter((one) => !one.includes('422')),
    [],
  );
});

test('DSK-2: other lines are suggested in a comment, and applied by whoever suggests them', async () => {
  const change = (repo: TestRepo): void => repo.write('src/a.txt', 'one\ntwo\nthree\n');
  const served = await open([{ group: 'auth', change }]);
  const reviewed = served.review();
  const { page, complaints } = await visit(served);
  await page.locator('tr.d2h-ins td.n.w').nth(1).click();
  await page
    .locator('tr.d2h-ins td.n.w')
    .nth(2)
    .click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Suggest changes' }).click();
  const editor = page.getByLabel('Comment on lines 2-3 of src/a.txt');
  await page.getByRole('button', { name: 'Suggest changes' }).click();
  assert.is(await editor.inputValue(), '```suggestion\ntwo\nthree\n```', 'once');
  await editor.fill('Shorter:\n```suggestion\n2 & 3\n```');
  await page.keyboard.press('Control+Enter');
  await shot(page, 'suggestion');
  assert.equal(await page.locator('.suggested > *').allTextContents(), ['two', 'three', '2 & 3']);
  assert.is(await page.locator('.said').textContent(), 'Shorter:');
  await page.locator('tr.d2h-del td.n.o').click();
  await page.keyboard.type('Why?');
  await page.keyboard.press('Control+Enter');
  await barSays(page, '2 comments are sent');
  await page.getByRole('button', { name: 'Apply as my commit' }).click();
  await barSays(page, '1 comment is sent');
  await page.locator('.said', { hasText: 'Why?' }).waitFor();
  assert.is(await page.locator('.said').count(), 1);
  await page.keyboard.press('s');
  await page.keyboard.press('Enter');
  await reviewed;
  const text = 'Shorter:\n```suggestion\n2 & 3\n```';
  const comments = [{ path: 'src/a.txt', side: 'new', line: 2, to: 3, text }];
  assert.equal(served.decided, [
    ['1-auth', { kind: 'suggest', comments, where: 'review page' }],
    ['1-auth', { kind: 'skip' }],
  ]);
  assert.equal(complaints, []);
});

test('MRG-8: a changeset whose diagnostics fail is approved with a reason alone', async () => {
  const served = await open([{ group: 'auth', change: twoFiles, changeset: { diagnostics: [redRun] } }]);
  const reviewed = served.review();
  const { page } = await visit(served);
  await page.getByText('Diagnostics fail on the merged tree').waitFor();
  await page.locator('pre', { hasText: '1 test failed' }).waitFor();
  await shot(page, 'red');
  const refused = await post(served, { kind: 'approve' });
  assert.is(refused.status, 422);
  assert.is((await post(served, { kind: 'approve', override: ' \u200b' })).status, 422);
  await barSays(page, 'auth waits for you. Checks fail.');
  await onBar(page, 'a').click();
  await page.locator('nav .badge', { hasText: 'checks fail' }).waitFor();
  await page.getByLabel('Approve it anyway').fill('The test is wrong.');
  await page.locator('.answer-send').click();
  await reviewed;
  assert.equal(served.decided, [['1-auth', { kind: 'approve', override: 'The test is wrong.' }]]);
});

test('MRG-8: the checks of a red changeset run again by a button of the table of answers, and it still waits', async () => {
  const served = await open([{ group: 'auth', change: twoFiles, changeset: { diagnostics: [redRun] } }]);
  const reviewed = served.review();
  const { page, complaints } = await visit(served);
  await page.getByRole('button', { name: 'Check again …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Check again' });
  await dialog.getByText('Its checks run again on the same commit').waitFor();
  await requireAccessible(page, 'an answer of the table');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  assert.equal(served.decided, []);
  await page.getByRole('button', { name: 'Check again …' }).click();
  await dialog.locator('.answer-send').click();
  await page.locator('nav .badge', { hasText: 'checks fail' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Check again …' }).waitFor({ state: 'detached' });
  await onBar(page, 'a').click();
  await reviewed;
  assert.equal(served.decided, [
    ['1-auth', { kind: 'recheck', where: 'review page' }],
    ['1-auth', { kind: 'approve' }],
  ]);
  assert.equal(complaints, []);
});

test('a second tab sees what the first one decides, out of turn as well, and is told when it is too late', async () => {
  const served = await open([
    { group: 'auth', change: twoFiles },
    { group: 'docs', change: twoFiles },
  ]);
  const reviewed = served.review();
  const first = (await visit(served)).page;
  const second = (await visit(served)).page;
  await barSays(second, 'auth waits for you, and 1 more');
  await first.locator('nav button[data-id="1-docs"]').click();
  await barSays(first, 'docs waits for you');
  await first.keyboard.press('s');
  await first.keyboard.press('Enter');
  await second.locator('nav button[data-id="1-docs"] .badge.skipped').waitFor();
  await second.locator('nav button[data-id="1-docs"]').click();
  await barSays(second, 'docs is skipped by Lea Lead. 1 other waits for you.');
  await second.locator('nav button[data-id="1-auth"]').click();
  const late = await post(served, { kind: 'approve' }, '1-docs');
  assert.is(late.status, 409);
  assert.match(late.message, /1-docs is already skipped by Lea Lead/);
  await onBar(second, 'a').click();
  await reviewed;
  await first.locator('nav button[data-id="1-auth"] .badge.approved').waitFor();
  assert.equal(
    served.decided.map(([id]) => id),
    ['1-docs', '1-auth'],
  );
});

test('a page left open after the run ended says so, and nothing can be decided on it', async () => {
  const served = await open([{ group: 'auth', change: twoFiles }]);
  void served.review();
  const { page } = await visit(served);
  await barSays(page, 'auth waits for you');
  await served.page.close();
  await page.getByText('This run has ended.').first().waitFor();
  for (const key of ['a', 'r', 's', 'e'] as const) assert.ok(await onBar(page, key).isDisabled(), key);
  for (const key of ['a', 'Enter', 's', 'r']) await page.keyboard.press(key);
  assert.is(await page.locator('dialog[open]').count(), 0);
  await shot(page, 'ended');
  assert.equal(served.decided, []);
});

test('a tab that slept, or whose way to the run was cut, knows what became of it, with what was begun there', async () => {
  const served = await open(['auth', 'docs'].map((group) => ({ group, change: twoFiles })));
  const reviewed = served.review();
  const { page } = await visit(served);
  await barSays(page, 'auth waits for you, and 1 more');
  await page.locator('tr.d2h-ins td.n.w').first().click();
  await page.keyboard.type('Begun before.');
  await page.keyboard.press('Control+Enter');
  await page.context().setOffline(true);
  // What is open goes on; a machine that wakes has none of it.
  await page.evaluate(() => {
    const day = 86_400_000;
    const now = Date.now();
    Object.assign(Date, { now: () => now + day });
    Reflect.get(globalThis, 'dispatchEvent').call(globalThis, new Event('online'));
  });
  await page.locator('#message.gone').waitFor();
  assert.ok(await onBar(page, 'a').isDisabled());
  served.change('1-docs', { state: 'skipped', decided_by: 'Lea Lead <lea@example.com>' });
  await page.context().setOffline(false);
  await page.locator('nav button[data-id="1-docs"] .badge.skipped').waitFor();
  await page.locator('#message.gone').waitFor({ state: 'hidden' });
  await barSays(page, '1 comment is sent with your decision');
  await onBar(page, 'a').click();
  await reviewed;
  const comments = [{ path: 'src/a.txt', side: 'new', line: 2, text: 'Begun before.' }];
  assert.equal(served.decided, [['1-auth', { kind: 'approve', comments }]]);
});

test('what was begun about one changeset is not taken for another, and its form goes where it is decided elsewhere', async () => {
  const served = await open(['auth', 'docs'].map((group) => ({ group, change: twoFiles })));
  void served.review();
  const { page } = await visit(served);
  await barSays(page, 'auth waits for you');
  await page.keyboard.press('r');
  await page.keyboard.type('No tests.');
  served.change('1-auth', { state: 'skipped', decided_by: 'Lea Lead <lea@example.com>' });
  await page.locator('dialog').and(page.locator('[open]')).waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  await barSays(page, 'docs waits for you');
  await page.keyboard.press('r');
  const reason = page.getByRole('dialog', { name: 'Send back: docs' }).getByLabel('Reason');
  assert.is(await reason.inputValue(), '');
  await page.keyboard.press('Escape');
  served.change('1-auth', { state: 'waiting', decided_by: null });
  await page.keyboard.press('k');
  await barSays(page, 'auth waits for you');
  await page.keyboard.press('r');
  assert.is(await page.getByLabel('Reason').inputValue(), 'No tests.');
  assert.equal(served.decided, []);
});

test('MRG-9: what was built anew is not approved from a page that shows the old', async () => {
  const served = await open([{ group: 'auth', change: twoFiles }]);
  void served.review();
  const { page } = await visit(served);
  await barSays(page, 'auth waits for you');
  const old = await post(served, { kind: 'approve' }, '1-auth', 'f'.repeat(40));
  assert.is(old.status, 409);
  assert.match(old.message, /was rebuilt/);
  served.change('1-auth', { state: 'void', reason: 'main moved' });
  await barSays(page, 'auth is stale and must be rebuilt');
  assert.is(await onBar(page, 'a').count(), 0);
  assert.equal(served.decided, []);
});

test('the layout and the theme are remembered, dark and light, wide and narrow', async () => {
  const served = await open([{ group: 'auth', change: twoFiles }]);
  void served.review();
  const { page } = await visit(served);
  await page.locator('tr', { hasText: 'three' }).waitFor();
  await page.keyboard.press('v');
  await page.locator('table.side').first().waitFor();
  await page.locator('#theme').click();
  await page.locator('html[data-theme="dark"]').waitFor();
  await shot(page, 'dark');
  const again = (await visit(served, { width: 420, height: 800 })).page;
  await again.locator('html[data-theme="dark"] table.side').first().waitFor();
  await shot(again, 'narrow');
  // The first file is on the first screen of a phone, and the list of files a tap away.
  const phone = (await visit(served, { width: 390, height: 844 })).page;
  const first = await phone.locator('.file').first().boundingBox();
  assert.ok(first !== null && first.y < 844 / 2, String(first?.y));
  assert.is(await phone.locator('.top-tools button:visible').count(), 0);
  await phone.getByRole('button', { name: 'View' }).click();
  await phone.locator('#space').click();
  await phone.locator('#space[aria-pressed="true"]').waitFor();
  await phone.keyboard.press('Escape');
  await phone.locator('#space').waitFor({ state: 'hidden' });
  assert.not(await phone.locator('#file-filter').isVisible());
  // Each answer is within its width.
  for (const button of await phone.locator('.bar button').all()) {
    const { x = 0, width: wide = 0 } = (await button.boundingBox()) ?? {};
    assert.ok(x >= 0 && x + wide <= 390, `${await button.textContent()} ends at ${x + wide}`);
  }
  await phone.getByRole('button', { name: 'More …' }).click();
  await phone.getByRole('button', { name: 'Approve with a message' }).click();
  await phone.getByRole('dialog', { name: 'Approve with a message' }).waitFor();
  assert.not(await phone.locator('#other-answers').isVisible());
  await phone.keyboard.press('Escape');
  await phone.keyboard.press('t');
  assert.ok(await phone.locator('#file-filter').isVisible());
  await shot(phone, 'phone');
  assert.ok(await again.evaluate('document.documentElement.scrollWidth <= innerWidth'));
});

interface Answer {
  readonly status: number;
  readonly message: string;
}

/** A decision as a tab sends it, about what is shown unless told. */
async function post(
  served: Served,
  decision: unknown,
  id = '1-auth',
  commit = served.repo.git('rev-parse', id.slice(2)),
): Promise<Answer> {
  const { origin, searchParams } = new URL(served.page.url);
  const response = await fetch(`${origin}/api/decide`, {
    method: 'POST',
    headers: { 'x-flame-token': searchParams.get('token') ?? '' },
    body: JSON.stringify({ changeset: id, commit, decision }),
  });
  const { message = '' } = (await response.json()) as { message?: string };
  return { status: response.status, message };
}

test('DSK-2 one task of several goes back by its tick', async () => {
  const served = await open([
    {
      group: 'auth',
      change: twoFiles,
      more: [{ id: parseTaskId('task-007'), title: 'Lock <b>out</b> after five' }],
    },
  ]);
  const reviewed = served.review();
  const { page, complaints } = await visit(served);
  await page.locator('tr', { hasText: 'three' }).waitFor();
  await page.getByRole('button', { name: 'Send some tasks back …' }).click();
  await page.getByLabel('Reason').fill('Five is too few.');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').filter({ hasText: 'choose at least one' }).waitFor();
  await page.getByLabel('task-007 Lock <b>out</b> after five').check();
  await shot(page, 'reject-one');
  await page.locator('.answer-send').click();
  await reviewed;
  assert.equal(served.decided, [['1-auth', { kind: 'reject', reason: 'Five is too few.', tasks: ['task-007'] }]]);
  // The one answer that was refused.
  assert.is(complaints.length, 1);
});

test('DSK-2 a decision is taken back by u or its button, and the changeset waits again', async () => {
  const served = await open(['auth', 'docs'].map((group) => ({ group, change: twoFiles })));
  const reviewed = served.review();
  const { page, complaints } = await visit(served);
  await page.locator('tr', { hasText: 'three' }).waitFor();
  const undo = page.getByRole('button', { name: 'Undo' });
  assert.is(await undo.isVisible(), false);
  await onBar(page, 'a').click();
  await page.locator('h1', { hasText: 'docs' }).waitFor();
  await page.keyboard.press('k');
  await barSays(page, 'auth is approved');
  assert.is(await onBar(page, 'a').isVisible(), false);
  await shot(page, 'take-back');
  await undo.click();
  await barSays(page, 'auth waits for you, and 1 more');
  // Nothing is decided about it, so there is nothing to take back.
  await page.keyboard.press('u');
  await page.keyboard.press('s');
  await page.keyboard.press('Enter');
  await barSays(page, 'docs waits for you');
  await page.keyboard.press('k');
  await barSays(page, 'auth is skipped');
  await page.keyboard.press('u');
  await barSays(page, 'auth waits for you, and 1 more');
  assert.equal(served.undone, ['1-auth', '1-auth']);
  for (const group of ['auth', 'docs']) {
    await barSays(page, `${group} waits for you`);
    await onBar(page, 'a').click();
  }
  await reviewed;
  assert.equal(complaints, []);
});

run();
