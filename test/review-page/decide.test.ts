import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasChromium, launchChromium, openTab } from '../support/chromium.ts';
import { testIf } from '../support/skip.ts';
import { type Served, serve } from './fixture.ts';

const all = suite('review page');
const test = testIf(all, hasChromium(), 'chromium is not installed');
const browser = hasChromium() ? await launchChromium() : null;
const opened: Served[] = [];
all.after.each(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
  for (const served of opened.splice(0)) await served.close();
});
all.after(async () => browser?.close());

async function open(...sets: Parameters<typeof serve>): Promise<Served> {
  const served = await serve(...sets);
  opened.push(served);
  return served;
}

test('REV-2: a changeset is approved with a click, and the gate that waits has its answer', async () => {
  const served = await open([
    { group: 'auth', change: (repo) => repo.write('src/a.txt', 'a\nb <b>bold</b>\n') },
  ]);
  const reviewed = served.review();
  const { page, requests, complaints } = await openTab(browser!, served.page.url);
  await page.getByText('b <b>bold</b>').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await reviewed;
  assert.equal(served.decided, [['1-auth', { kind: 'approve' }]]);
  await page.locator('#bar-words', { hasText: 'auth is approved by Lea Lead' }).waitFor();
  const origin = new URL(served.page.url).origin;
  assert.equal(
    requests.filter((url) => !url.startsWith(`${origin}/`) && url !== 'data:,'),
    [],
  );
  assert.equal(complaints, []);
  if (process.env.FLAME_SHOTS) await page.screenshot({ path: `${process.env.FLAME_SHOTS}/approved.png` });
});

all.run();
