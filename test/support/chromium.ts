import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { makeTempDir } from './repo.ts';

const program = '/usr/bin/chromium';

/** Whether a browser is there to test with. */
export function hasChromium(): boolean {
  return existsSync(program);
}

const quiet = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
];

// Playwright's own, which a second list replaces, and what an address line draws below itself: two pages of the
// browser's own for each window, which cost more than the page that is tested.
const without = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
];

/** A real browser of its own, without a screen. */
export function launchChromium(): Promise<Browser> {
  const home = makeTempDir('flame-chromium');
  return chromium.launch({
    executablePath: program,
    headless: true,
    args: [...quiet, `--disable-features=${without.join(',')}`],
    timeout: 120_000,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: home, TMPDIR: home, LANG: 'C.UTF-8' },
  });
}

export interface WatchedPage {
  readonly page: Page;
  /** Every address that was asked for. */
  readonly requests: readonly string[];
  /** Errors and refusals the console told of: a script that failed, something the policy kept out. */
  readonly complaints: readonly string[];
}

/** A tab whose requests and complaints are noted. */
export async function openTab(
  browser: Browser,
  url: string,
  viewport = { width: 1280, height: 900 },
): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(60_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // A page asks once more of a server that went with its run; what a policy keeps out reads otherwise.
    if (!message.text().endsWith('net::ERR_CONNECTION_REFUSED')) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, requests, complaints };
}
