import * as assert from 'uvu/assert';
import type { MachineSession } from '../../../lib/domain/view-models/machine-sessions-view.ts';
import { pageSuite, shot } from '../../review-page/browser.ts';
import { requireAccessible } from '../../support/axe.ts';
import { busyBoard, openFakeBoard } from './fake-board.ts';

const { test, visitUrl, run } = await pageSuite("the person's other sessions on the board");

const waiting: MachineSession = {
  ...{ repository: '/home/lea/src/shop', id: 'ses-20260206-100000-abcd', title: 'Add <b>login</b>' },
  ...{ base_branch: 'main', standing: 'waits', waits: ['to review: 1-auth, 1-db'], tasks: { landed: 1, all: 3 } },
  ...{ since: '2026-02-06T10:00:00.000Z', next: 'cd /home/lea/src/shop && git flame review' },
};
const running: MachineSession = {
  ...waiting,
  ...{ repository: `/srv/${'a-long-folder-name/'.repeat(8)}api`, id: 'ses-20260206-110000-abcd', title: 'Limits' },
  ...{ standing: 'running', waits: [], board: 'http://127.0.0.1:9/?token=t' },
};

test('DSK-3 what waits elsewhere has its command to copy, and what has a board leads there', async () => {
  const { board, show } = await openFakeBoard({
    others: [waiting, running],
    details: { next: ['git flame show two'] },
  });
  try {
    show(busyBoard());
    const { page, complaints } = await visitUrl(board.url);
    const others = page.locator('#other-sessions');
    await others.locator('h2', { hasText: 'Other repositories · 1 waits for you' }).waitFor();
    assert.equal(await others.locator('.row-title').allTextContents(), ['Add <b>login</b>', 'Limits']);
    assert.equal(await others.locator('.badge').allTextContents(), ['waits for you', 'running']);
    assert.is(
      await others.getByRole('link', { name: 'Limits' }).getAttribute('href'),
      'http://127.0.0.1:9/?token=t#session=ses-20260206-110000-abcd',
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await others.getByRole('button', { name: `Copy ${waiting.next}` }).click();
    await others.locator('button', { hasText: 'Copied' }).waitFor();
    assert.is(await page.evaluate('navigator.clipboard.readText()'), waiting.next);
    await page.locator('.task').first().click();
    await page.locator('#panel').getByRole('button', { name: 'Copy git flame show two' }).click();
    assert.is(await page.evaluate('navigator.clipboard.readText()'), 'git flame show two');
    await page.keyboard.press('Escape');
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [390, 1440]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 1000 });
        await others.scrollIntoViewIfNeeded();
        await shot(page, `others-${colorScheme}-${width}`);
        await requireAccessible(page, `${colorScheme}, ${width}`);
        assert.is(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
      }
    assert.equal(complaints, []);
  } finally {
    await board.close();
  }
});

test('DSK-3 a board that may not show other sessions, and one without any, has no place for them', async () => {
  for (const told of [{}, { others: [] }]) {
    const { board, show } = await openFakeBoard(told);
    try {
      show(busyBoard());
      const { page } = await visitUrl('about:blank');
      const answered = page.waitForResponse((response) => response.url().endsWith('/api/other-sessions'));
      await page.goto(board.url);
      assert.equal(await (await answered).json(), { sessions: [] });
      await page.locator('#title', { hasText: 'Add a login' }).waitFor();
      assert.is(await page.locator('#other-sessions').innerHTML(), '');
    } finally {
      await board.close();
    }
  }
});

run();
