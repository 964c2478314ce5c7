import { mkdirSync } from 'node:fs';
import { launchChromium, openTab } from '../../support/chromium.ts';
import { boardStates } from './board-states.ts';
import { openFakeBoard } from './fake-board.ts';

// node build/test/ui/board/board-shots.js FOLDER [STATE...]: pictures of each state, in both themes and three widths.

const [folder = '', ...wanted] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const stream = [
  { kind: 'said', text: 'I look at how the counter is stored.' },
  { kind: 'call', text: 'Read src/limits/counter.js' },
  { kind: 'call', text: 'Bash npm test' },
  { kind: 'blocked', text: 'Bash curl https://example.com: network' },
] as const;
const sizes = (process.env.SIZES ?? '390,1440,1920').split(',').map(Number);
const themes = (process.env.THEMES ?? 'light,dark').split(',') as ('light' | 'dark')[];
const fake = await openFakeBoard({ stream });
const browser = await launchChromium();
const { page } = await openTab(browser, fake.board.url);

/** Other views of a state. */
const views: Readonly<Record<string, readonly (() => Promise<void>)[]>> = {
  graph: [() => page.keyboard.press('v'), () => page.keyboard.press('v')],
  panel: [() => page.locator('.task').nth(1).click(), () => page.keyboard.press('Escape')],
  table: ['As a table', 'As a table'].map((name) => () => page.getByRole('button', { name }).click()),
};

async function take(name: string): Promise<void> {
  for (const width of sizes)
    for (const colorScheme of themes) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 1000 });
      await page.emulateMedia({ colorScheme });
      await page.evaluate('scrollTo(0, 0)');
      await page.waitForTimeout(120);
      await page.screenshot({
        path: `${folder}/${name}-${width}-${colorScheme}.png`,
        fullPage: process.env.FULL === '1',
      });
    }
}

for (const [name, state] of Object.entries(boardStates)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  fake.show(state);
  await page.waitForTimeout(700);
  await take(name);
  if (!['working', 'failed', 'many', 'titles'].includes(name)) continue;
  for (const [view, [open, close]] of Object.entries(views)) {
    await page.setViewportSize({ width: 1440, height: 1000 });
    await open?.();
    await take(`${name}-${view}`);
    await close?.();
  }
}
await browser.close();
await fake.board.close();
process.exit(0);
