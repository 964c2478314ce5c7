import type { Browser, Locator, Page } from 'playwright-core';
import { suite } from 'uvu';
import { hasChromium, launchChromium, openTab, type WatchedPage } from '../support/chromium.ts';
import { testIf } from '../support/skip.ts';
import { type Served, serve } from './fixture.ts';

type Serve = typeof serve;

/** Tests of the page in a real browser; what each opened is closed after it. */
export interface PageSuite {
  readonly test: ReturnType<typeof testIf>;
  open(...args: Parameters<Serve>): Promise<Served>;
  visit(served: Served, viewport?: Parameters<typeof openTab>[2]): Promise<WatchedPage>;
  /** Any page, such as a file. */
  visitUrl(url: string, viewport?: Parameters<typeof openTab>[2]): Promise<WatchedPage>;
  run(): void;
}

export async function pageSuite(name: string): Promise<PageSuite> {
  const all = suite(name);
  const browser: Browser | null = hasChromium() ? await launchChromium() : null;
  const opened: Served[] = [];
  all.after.each(async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
    for (const served of opened.splice(0)) await served.close();
  });
  all.after(async () => browser?.close());
  const visitUrl = async (url: string, viewport?: Parameters<typeof openTab>[2]): Promise<WatchedPage> => {
    if (browser === null) throw new Error('there is no browser');
    return openTab(browser, url, viewport);
  };
  return {
    test: testIf(all, browser !== null, 'chromium is not installed'),
    open: async (...args) => {
      const served = await serve(...args);
      opened.push(served);
      return served;
    },
    visit: (served, viewport) => visitUrl(served.page.url, viewport),
    visitUrl,
    run: () => all.run(),
  };
}

export async function barSays(page: Page, text: string): Promise<void> {
  await page.locator('#bar-words', { hasText: text }).waitFor();
}

/** The button of the decision that a key stands for. */
export function onBar(page: Page, key: 'a' | 'e' | 'r' | 's'): Locator {
  return page.locator(`.bar [aria-keyshortcuts="${key}"]`);
}

/** A picture of the page, where FLAME_SHOTS names a folder for them. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env.FLAME_SHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}
