import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';

// What judges whether everybody can use a page is not among the project's dependencies: it is in the folder that
// FLAME_TEST_CLIS names, where `.ci/run` puts it.
const file = join(process.env.FLAME_TEST_CLIS ?? '', 'axe-core', 'axe.min.js');
const source = existsSync(file) ? readFileSync(file, 'utf8') : null;

const looks = [
  { name: 'light', scheme: 'light', width: 1280 },
  { name: 'dark', scheme: 'dark', width: 1280 },
  { name: 'on a phone', scheme: 'light', width: 390 },
] as const;

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/**
 * axe finds nothing wrong with a page as it is now, in light and dark and on a phone, whose width it keeps to; `state` names it in what fails.
 * Where axe is missing that is said, and nothing is judged; not where nothing may be left out.
 */
export async function requireAccessible(page: Page, state: string): Promise<void> {
  if (source === null) {
    if (process.env.FLAME_TEST_NO_SKIP === '1')
      throw new Error('axe-core is not in the folder that FLAME_TEST_CLIS names');
    process.stdout.write('SKIP axe-core is not in the folder that FLAME_TEST_CLIS names\n');
    return;
  }
  const before = page.viewportSize() ?? { width: 1280, height: 900 };
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(`${source}; undefined`);
  const wrong: string[] = [];
  for (const { name, scheme, width } of looks) {
    await page.setViewportSize({ width, height: before.height });
    await page.emulateMedia({ colorScheme: scheme });
    // The system's change of colours reaches the page some time later.
    while (!(await page.evaluate(`matchMedia('(prefers-color-scheme: ${scheme})').matches`)))
      await page.waitForTimeout(10);
    if (width < 400 && !(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
      wrong.push(`${state}, ${name}: it is wider than the window`);
    const { violations } = await page.evaluate<Found>(
      'new Promise((done) => requestAnimationFrame(() => done(axe.run(document, { resultTypes: ["violations"] }))))',
    );
    for (const { id, nodes } of violations)
      for (const { html, failureSummary } of nodes.slice(0, 3))
        wrong.push(`${state}, ${name}: ${id}: ${html.slice(0, 200)}\n  ${failureSummary.replace(/\n/g, '\n  ')}`);
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null });
  assert.is(wrong.join('\n'), '');
}
