import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { computeStats, type SessionRecord } from '../../../lib/core/stats/compute-stats.ts';
import type { Stats } from '../../../lib/domain/view-models/stats-report.ts';
import { renderStatsPage } from '../../../lib/ui/stats/render-stats-page.ts';
import { beginning, life, pastSession, record, run } from '../../core/stats/rig.ts';
import { requireAccessible } from '../../support/axe.ts';
import { hasChromium, launchChromium, openTab, type WatchedPage } from '../../support/chromium.ts';
import { makeTempDir } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';

const all = suite('stats page');
const test = testIf(all, hasChromium(), 'chromium is not installed');
const browser = hasChromium() ? await launchChromium() : null;
all.after.each(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});
all.after(async () => browser?.close());

const script = `<img src=x onerror="document.title='ran'"></script><script>document.title='ran'</script>`;

/** A session with some of everything, and hostile texts in it. */
function session(): SessionRecord {
  const lives = Array.from({ length: 14 }, (_, index) => {
    const start = 40_000 + index * 7;
    const took = 20 + ((index * 37) % 90);
    return life(
      `task-${String(index + 1).padStart(3, '0')}`,
      index === 5
        ? [
            [start, 'claimed'],
            [start + 9, 'failed', { Failure: 'violation', Rule: 'path-out-of-scope' }],
            [start + 9, 'pending'],
            [start + 12, 'claimed'],
            [start + 30, 'failed', { Failure: 'agent-timeout' }],
          ]
        : [
            [start, 'claimed'],
            [start + took, 'done'],
            [start + took + 30, 'merged'],
          ],
      {
        title: index === 0 ? script : `Teach the parser its rule ${index + 1}`,
        created_at: '2026-02-07T01:06:00.000Z',
      },
    );
  });
  const agents = lives.flatMap(({ task }, index) => [
    run(`worker-${String(index).padStart(8, '0')}`, task.id, 0.12 + ((index * 13) % 7) / 10),
    { ...run(`validator-${String(index).padStart(8, '0')}`, task.id, 0.04), role: 'validator' as const },
  ]);
  const workers = agents.filter(({ role }) => role === 'worker').reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  return record(
    lives,
    {
      objective: `${script} and the parser`,
      created_at: '2026-02-07T01:05:00.000Z',
      state: 'active',
      cost_usd: workers + 0.56,
      tokens: 2_800,
      spend: {
        worker: { runs: 14, cost_usd: workers, tokens: 1_400 },
        validator: { runs: 14, cost_usd: 0.56, tokens: 1_400 },
      },
      agents,
      estimate: {
        base_usd: 5.6,
        with_retries_usd: 14,
        roles: {
          worker: { runs: 14, runs_with_retries: 42, agent_usd: 0.35 },
          validator: { runs: 14, runs_with_retries: 28, agent_usd: 0.05 },
        },
      },
    },
    {
      blocked: new Map([
        ['bash-not-allowed', 7],
        ['path-protected', 2],
        [script, 1],
      ]),
      verified: { same: 2, all: 3 },
    },
  );
}

function statsOf(reported: readonly SessionRecord[], known = reported): Stats {
  return computeStats({ reported, all: known, slots: 4, now: new Date(beginning + 50_000_000) });
}

async function open(stats: Stats, name: string, width = 1280): Promise<WatchedPage> {
  const path = join(makeTempDir('flame-stats'), `${name}.html`);
  writeFileSync(path, renderStatsPage(stats));
  const tab = await openTab(browser!, pathToFileURL(path).href, { width, height: 900 });
  await tab.page.locator('html[data-drawn="1"]').waitFor();
  return tab;
}

/** With FLAME_SHOTS=folder each state is kept as a picture. */
async function shoot({ page }: WatchedPage, name: string): Promise<void> {
  const folder = process.env.FLAME_SHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** How many colours a canvas shows: a chart that drew nothing has one. */
async function coloursIn({ page }: WatchedPage, id: string): Promise<number> {
  return page.locator(`#${id}`).evaluate((canvas) => {
    const element = canvas as unknown as {
      width: number;
      height: number;
      getContext(kind: '2d'): {
        getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray };
      };
    };
    const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height);
    const seen = new Set<string>();
    for (let at = 0; at < data.length; at += 4) if ((data[at + 3] ?? 0) > 200) seen.add(data.slice(at, at + 3).join());
    return seen.size;
  });
}

test('WFL-3: axe finds nothing wrong with the page and its tables, of many sessions, and with nothing to show', async () => {
  const { page } = await open(statsOf([session()]), 'accessible');
  for (const summary of await page.locator('summary').all()) await summary.click();
  await requireAccessible(page, 'its tables');
  const past = Array.from({ length: 9 }, (_, index) => pastSession(index, { seconds: 55 + index * 2 }));
  await requireAccessible((await open(statsOf([...past, session()]), 'accessible-all')).page, 'all sessions');
  await requireAccessible((await open(statsOf([]), 'accessible-empty')).page, 'nothing');
});

test('WFL-3: a time is written for people, not as programs do', () => {
  assert.not.match(
    renderStatsPage(statsOf([session()])).replace(/<script[\s\S]*?<\/script>/g, ''),
    /\d{4}-\d\d-\d\dT\d\d/,
  );
});

test('WFL-3: the page draws its charts without a network, and nothing in it runs', async () => {
  const tab = await open(statsOf([session()]), 'one');
  await shoot(tab, 'one-light');
  for (const name of ['flow', 'failures', 'role-cost', 'task-cost', 'cycle']) {
    assert.ok((await coloursIn(tab, `chart-${name}`)) > 3, name);
  }
  assert.is(await tab.page.locator('#chart-sessions').count(), 0);
  assert.match(await tab.page.title(), /^Stats: /);
  assert.is(await tab.page.evaluate('document.title === "ran"'), false);
  assert.equal(
    tab.requests.filter((url) => !url.startsWith('file:') && url !== 'data:,'),
    [],
  );
  assert.equal(tab.complaints, []);
});

test('what a chart shows stands in a table too', async () => {
  const stats = statsOf([session()]);
  const { page } = await open(stats, 'tables');
  const figure = page.locator('figure.chart-failures');
  assert.is(await figure.locator('table').isVisible(), false);
  await figure.locator('summary').focus();
  await page.keyboard.press('Enter');
  await figure.locator('table').waitFor();
  const rows = await figure.locator('tbody tr').allInnerTexts();
  assert.equal(
    rows.map((row) => row.split('\t')),
    stats.failures.map(({ source, rule, count }) => [source, rule, String(count)]),
  );
  assert.is(await page.locator('canvas[role=img][aria-label]').count(), 5);
  assert.is(await page.locator('meter').count(), stats.health.parts.filter(({ value }) => value !== null).length);
});

test('dark and light: the charts follow the page', async () => {
  const tab = await open(statsOf([session()]), 'dark');
  const { page } = tab;
  const inkOf = (): Promise<string> => page.evaluate('getComputedStyle(document.body).color');
  const pictureOf = (): Promise<string> => page.evaluate('document.querySelector("canvas").toDataURL()');
  const light = { ink: await inkOf(), picture: await pictureOf() };
  await page.emulateMedia({ colorScheme: 'dark' });
  // The system's change of colours reaches the page some time later.
  await page.locator('html[data-drawn="2"]').waitFor();
  const dark = await pictureOf();
  assert.ok(dark !== light.picture);
  assert.is.not(await inkOf(), light.ink);
  await shoot(tab, 'one-dark');
  const button = page.getByRole('button', { name: 'Theme' });
  await button.click();
  assert.is(await button.innerText(), 'Theme: dark');
  assert.ok((await pictureOf()) === dark, 'dark is dark, whoever chose it');
  await button.click();
  assert.is(await inkOf(), light.ink);
  assert.ok((await pictureOf()) === light.picture, 'and light is light');
});

test('all sessions: a line through them, and what is out of the ordinary', async () => {
  const past = Array.from({ length: 9 }, (_, index) => pastSession(index, { seconds: 55 + index * 2 }));
  const tab = await open(statsOf([...past, session()]), 'all');
  await shoot(tab, 'all');
  assert.ok((await coloursIn(tab, 'chart-sessions')) > 3);
  assert.ok((await tab.page.locator('.odd li').count()) > 0);
  assert.equal(tab.complaints, []);
});

test('nothing to show is a page too, and a narrow window needs no sideways scrolling', async () => {
  const empty = await open(statsOf([]), 'empty');
  await shoot(empty, 'empty');
  assert.is(await empty.page.locator('canvas').count(), 0);
  assert.equal(empty.complaints, []);
  const narrow = await open(statsOf([session()]), 'narrow', 390);
  await shoot(narrow, 'narrow');
  assert.is(await narrow.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  // A chart is drawn anew some time after the window became narrower.
  const isKept = `(() => {
    for (const { style } of document.querySelectorAll('canvas')) style.width = '900px';
    return document.documentElement.scrollWidth <= innerWidth;
  })()`;
  assert.is(await narrow.page.evaluate(isKept), true);
});

all.run();
