import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { BoardState } from '../../../lib/domain/view-models/board-view.ts';
import { pageSuite } from '../../review-page/browser.ts';
import { requireAccessible } from '../../support/axe.ts';
import { boardStates } from './board-states.ts';
import { fakeTask, openFakeBoard } from './fake-board.ts';

const { test, visitUrl, run } = await pageSuite('the board at a glance');

function stateOf(name: string): BoardState {
  const state = boardStates[name];
  if (state === undefined) throw new Error(`there is no state ${name}`);
  return state;
}

/** A page with the board in a state. */
async function visit(name: string, viewport = { width: 1440, height: 1000 }) {
  const fake = await openFakeBoard();
  fake.show(stateOf(name));
  const { page, complaints } = await visitUrl(fake.board.url, viewport);
  await page.locator('#title', { hasText: stateOf(name).session?.title ?? 'No session' }).waitFor();
  return { fake, page, complaints };
}

/** Until something holds on the page, whose policy lets no script wait for it there. */
async function until(page: Page, holds: string): Promise<void> {
  while (!(await page.evaluate<boolean>(holds))) await page.waitForTimeout(10);
}

/** The texts of all that fits, each on one line. */
async function texts(page: Page, selector: string): Promise<readonly string[]> {
  const found = await page.locator(selector).allInnerTexts();
  return found.map((text) => text.replace(/\s+/g, ' ').trim());
}

test('DSK-1: axe finds nothing wrong with any state of a session, and none is wider than a phone', async () => {
  for (const name of Object.keys(boardStates)) {
    const { fake, page, complaints } = await visit(name);
    try {
      await requireAccessible(page, name);
      assert.equal(complaints, []);
    } finally {
      await fake.board.close();
      await page.close();
    }
  }
});

test('DSK-1: one look says the wave and what each took, how many tasks are done, and what is spent', async () => {
  const { fake, page } = await visit('validation');
  try {
    // A tab behind others says it too.
    assert.match(await page.title(), /^● waits for you · Rate limits/);
    const waves = await texts(page, '.wave');
    assert.equal(waves.slice(0, 2), ['✓Plan 4m 07s done', '✓Work 12m 41s done']);
    assert.match(waves[2] ?? '', /^●Validate .*waits for you$/);
    assert.equal(waves.slice(3), ['○Merge not yet', '○Review not yet']);
    assert.is(await page.locator('.wave[aria-current="step"]').count(), 1);
    const [tasks = '', spent = ''] = await texts(page, '.figure');
    assert.is(tasks, 'Tasks 9 of 10 tasks done 1 failed or blocked');
    assert.is(spent, 'Spent $4.18 of $12.00 estimated $6.00');
    assert.is(await page.locator('#others details[open]').count(), 0);
    // What is empty takes no room.
    assert.is(await page.locator('#sets').isVisible(), false);
    fake.show(stateOf('ended'));
    await page.locator('.figure', { hasText: 'Took' }).waitFor();
    assert.is((await texts(page, '.figure'))[2], 'Took 26m 00s ended');
  } finally {
    await fake.board.close();
  }
});

test('DSK-1: titles come first, with groups, in columns by state; a filter leaves what fits', async () => {
  const { fake, page } = await visit('failed');
  try {
    assert.equal(await texts(page, '.column h3'), [
      ...['Failed or blocked 5', 'Waiting 2', 'Working 1', 'Checking 0', 'Passed 1', 'Landed 1'],
    ]);
    assert.equal((await texts(page, '.column[data-kind="bad"] h4')).slice(0, 2), ['limits', 'docs']);
    const first = await texts(page, '.column[data-kind="bad"] .task');
    assert.is(
      first[0],
      'Answer 429 with Retry-After once a key is over its limit npm test ended with 1 three times ✗failed · task-002 · attempt 3 · $0.40',
    );
    // What the head of the column says stands there alone, but for those who hear it.
    assert.equal(await texts(page, '.task[data-id="task-003"] .unseen'), ['passed ·']);
    assert.match((await texts(page, '.task[data-id="task-010"]'))[0] ?? '', 'after Let an administrator');
    assert.match(
      (await texts(page, '.task[data-id="task-004"]'))[0] ?? '',
      '"Answer 429 with Retry-After once a key is over its limit" failed',
    );
    await page.keyboard.press('/');
    await page.keyboard.type('settings lift');
    await page.locator('#plan', { hasText: '1 of 10 tasks' }).waitFor();
    assert.is(await page.locator('.task').count(), 1);
    await page.keyboard.press('Enter');
    assert.is(await page.evaluate('document.activeElement.dataset.id'), 'task-009');
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await page.locator('.task').nth(9).waitFor();
    assert.is(await page.locator('#filter').inputValue(), '');
  } finally {
    await fake.board.close();
  }
});

test('DSK-1: by keys alone, from card to card, into a task beside the board, to the next one, and back', async () => {
  const { fake, page } = await visit('failed');
  try {
    const inFocus = (): Promise<string> => page.evaluate<string>('document.activeElement.dataset.id ?? ""');
    await page.locator('.task').first().waitFor();
    await page.keyboard.press('p');
    assert.is(await inFocus(), 'task-002');
    await page.keyboard.press('ArrowDown');
    assert.is(await inFocus(), 'task-004');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.is(await inFocus(), 'task-009');
    // The column that is empty is passed over.
    await page.keyboard.press('ArrowRight');
    assert.is(await inFocus(), 'task-003');
    await page.keyboard.press('Enter');
    await page.locator('#panel-title', { hasText: 'Read limits' }).waitFor();
    const isBeside = await page.evaluate<boolean>(
      "document.querySelector('.lead').getBoundingClientRect().right <= document.querySelector('#panel').getBoundingClientRect().left",
    );
    assert.ok(isBeside, 'the panel covers the board');
    await page.keyboard.press('k');
    await page.locator('#panel-title', { hasText: 'Let an administrator' }).waitFor();
    await page.keyboard.press('j');
    await page.locator('#panel-title', { hasText: 'Read limits' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#panel').waitFor({ state: 'detached' });
    assert.is(await inFocus(), 'task-003');
  } finally {
    await fake.board.close();
  }
});

test('DSK-1: an agent is stopped on its card once it was asked how, and Escape leaves it at work', async () => {
  const { fake, page } = await visit('working');
  try {
    const opener = page.getByRole('button', { name: 'Stop… (task-006)' });
    await opener.click();
    await page.getByRole('button', { name: 'Stop, and try again' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await opener.and(page.locator(':focus')).waitFor();
    assert.equal(fake.stopped, []);
    await opener.click();
    await Promise.all([
      page.waitForResponse((response) => response.url().includes('/api/stop')),
      page.getByRole('button', { name: 'Stop, the task fails' }).click(),
    ]);
    assert.equal(fake.stopped, [{ agent: 'worker-2a2b3c4d', retry: false }]);
    // An agent that judges has no task of its own that could fail.
    await page.getByRole('button', { name: 'Stop… (task-003)' }).click();
    await page.getByRole('button', { name: 'Stop it' }).waitFor();
  } finally {
    await fake.board.close();
  }
});

test('DSK-1: a question is one sentence with its answers; one press gives what asks for nothing, ends ask again', async () => {
  const { fake, page } = await visit('cycle-over');
  try {
    const gate = page.locator('article.gate');
    assert.is((await texts(page, 'article.gate h3'))[0], 'Cycle 1 is over: start another?');
    assert.equal(await texts(page, '.answers button'), ['Continue', 'Retry', 'Re-plan…', 'Stop…']);
    const names = new Set(await texts(page, '.answers button'));
    await gate.getByRole('button', { name: 'Stop…' }).click();
    const [sends = ''] = await texts(page, '.answer-send');
    assert.is(sends, 'End the run');
    assert.not(names.has(sends));
    assert.equal(fake.answers, []);
    await gate.getByText('5 tasks sent back, failed or blocked').click();
    await gate.getByText('Measure at 100,000 keys too.').waitFor();
    await Promise.all([
      page.waitForResponse((response) => response.url().includes('/api/answer')),
      gate.getByRole('button', { name: 'Continue' }).click(),
    ]);
    assert.equal(fake.answers, [{ kind: 'continue' }]);
  } finally {
    await fake.board.close();
  }
});

/** Where the task cards are in the window, with what is above them and, where there is room for a rail, below them. */
const places = `JSON.stringify([...document.querySelectorAll('.task, #filter, #plan-title' + (innerWidth > 1000 ? ', #lanes-title' : ''))]
  .map((one) => { const { x, y, width, height } = one.getBoundingClientRect();
    return [one.dataset.id ?? one.id, x, y, width, height].join(' '); }))`;

/** What comes while a person reads, each on its own: what may come more than once is there twice. */
const arrivals: readonly (readonly [what: string, change: Partial<BoardState>, shows: string])[] = [
  ...['plan-waits', 'validation', 'review', 'cycle-over', 'asks-question', 'asks-budget', 'asks-base'].map(
    (name) => [name, { gate: stateOf(name).gate }, 'article.gate'] as const,
  ),
  ['an agent starts', { agents: stateOf('working').agents.slice(0, 5) }, '#agents .card:nth-child(5)'],
  ['all agents end', { agents: [], checks: [] }, '#work p'],
  ['a question comes once all have ended', { agents: [], checks: [], gate: stateOf('review').gate }, 'article.gate'],
  ['a notice comes', { notices: ['one', 'two'] }, '#waiting summary'],
  ['the run ends', { is_running: false, gate: null }, '#waiting'],
  [
    'a line of the log comes',
    {
      log: [{ at: '2026-02-06T14:30:22.000Z', who: '', task: null, text: 'It came last.' }, ...stateOf('working').log],
    },
    '#log li:has-text("It came last.")',
  ],
  ['a changeset is built', { changesets: stateOf('review').changesets }, '#changesets'],
  [
    'a question was answered',
    {
      decided: [
        {
          ...{ id: 'g0', session: stateOf('working').session?.id as never, gate: 'plan', about: 'the plan' },
          ...{ answer: 'approved', where: 'board', by: 'Lea', at: '2026-02-06T14:30:22.000Z' },
        },
      ],
    },
    '#decided li',
  ],
];

for (const [width, height] of [
  [390, 844],
  [1440, 1000],
] as const)
  test(`DSK-1: at ${width} px no task card moves when a question, an agent, a notice or a line of the log comes or goes`, async () => {
    const { fake, page } = await visit('working', { width, height });
    try {
      const working = stateOf('working');
      const start: BoardState = { ...working, agents: working.agents.slice(0, 4), notices: [] };
      for (const [at, [what, change, shows]] of arrivals.entries()) {
        const scrolled = at % 2 === 0 ? 0 : 300;
        fake.show(start);
        await page.locator('article.gate, #decided li, .notices-fold').first().waitFor({ state: 'detached' });
        await page.locator('#agents .card').nth(3).waitFor();
        await page.evaluate(`scrollTo(0, ${scrolled})`);
        const before = await page.evaluate<string>(places);
        fake.show({ ...start, ...change });
        await page.locator(shows).first().waitFor();
        assert.is(await page.evaluate<string>(places), before, `${what}, ${scrolled} px down`);
        fake.show(start);
        await page.locator('#agents .card').nth(3).waitFor();
        await page.locator('article.gate').waitFor({ state: 'detached' });
        assert.is(await page.evaluate<string>(places), before, `${what} and goes, ${scrolled} px down`);
      }
    } finally {
      await fake.board.close();
    }
  });

test('DSK-1: the question folds away by a key and back by another, and what is opened beside the tasks moves none', async () => {
  const { fake, page } = await visit('review');
  try {
    const approve = page.locator('.answers button').first();
    await approve.waitFor();
    const before = await page.evaluate<string>(places);
    await page.locator('.gate summary').first().focus();
    await page.keyboard.press('Enter');
    await approve.waitFor({ state: 'hidden' });
    await page.locator('article.gate h3', { hasText: 'Land changeset limits?' }).waitFor();
    assert.is(await page.evaluate<string>(places), before);
    await page.keyboard.press('w');
    await approve.and(page.locator(':focus')).waitFor();
    await page.locator('.task').first().click();
    await page.locator('#panel').waitFor();
    assert.is(await page.evaluate<string>(places), before);
    // Neither lies over the other.
    const [dock, panel] = await Promise.all(['.dock', '#panel'].map((one) => page.locator(one).boundingBox()));
    assert.ok((dock?.x ?? 0) + (dock?.width ?? 0) <= (panel?.x ?? 0), JSON.stringify({ dock, panel }));
    await page.keyboard.press('Escape');
    await page.locator('#panel').waitFor({ state: 'detached' });
    assert.is(await page.evaluate<string>(places), before);
  } finally {
    await fake.board.close();
  }
});

test('DSK-1: on a phone each question is read and answered without pushing the page to a side', async () => {
  const { fake, page } = await visit('working', { width: 390, height: 844 });
  try {
    for (const [name, state] of Object.entries(boardStates)) {
      if (state.gate === null) continue;
      fake.show(state);
      await page.locator(`article.gate[data-gate="${state.gate.asks.gate}"]`).waitFor();
      assert.is(await page.evaluate('document.documentElement.scrollWidth'), 390, name);
      const cut = await page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('.dock *')].filter((one) => one.checkVisibility() && !one.closest('.unseen, .notices-fold'))
          .filter((one) => { const { left, right } = one.getBoundingClientRect(); return left < 0 || right > 390; })
          .map(({ outerHTML }) => outerHTML.slice(0, 80))`,
      );
      assert.equal(cut, [], name);
      // Each lies in the window where its question begins, whatever stands above it.
      for (const button of await page.locator('.answers button').all()) {
        const box = await button.boundingBox();
        assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 844, `${name}: ${await button.textContent()}`);
        assert.ok(box.height >= 36, `${name}: ${await button.textContent()} is ${box.height} px high`);
      }
    }
  } finally {
    await fake.board.close();
  }
});

test('DSK-1: a card that goes to another column keeps the focus, and a panel whose opener is gone gives it to the card', async () => {
  const { fake, page } = await visit('working');
  try {
    const working = stateOf('working');
    const one = working.tasks['task-002'];
    if (one === undefined) throw new Error('no task');
    const card = page.locator('.task[data-id="task-002"]');
    await card.focus();
    const shown = (status: 'done' | 'merged'): BoardState => ({
      ...working,
      tasks: { ...working.tasks, 'task-002': { ...one, status, verdict: 'pass' } },
    });
    fake.show(shown('done'));
    await page.locator('.column[data-kind="good"] .task:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('#panel:focus').waitFor();
    fake.show(shown('merged'));
    await page.locator('.column[data-kind="landed"] .task[data-id="task-002"]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.column[data-kind="landed"] .task[data-id="task-002"]:focus').waitFor();
  } finally {
    await fake.board.close();
  }
});

/** All that has been given the focus by Tab, from the top of the page, until it comes around; each with how it shows. */
async function tabThrough(page: Page): Promise<readonly (readonly [what: string, isSeen: boolean])[]> {
  const found: (readonly [string, boolean])[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const [what, isSeen, isFirst] = await page.evaluate<readonly [string, boolean, boolean]>(
      `(() => { const one = document.activeElement; const { left, top, width, height } = one.getBoundingClientRect();
        const over = document.elementFromPoint(left + width / 2, Math.max(top, 0) + Math.min(height, 40) / 2);
        const { outlineStyle, outlineWidth } = getComputedStyle(one);
        const isFirst = globalThis.firstFocus === one; globalThis.firstFocus ??= one === document.body ? undefined : one;
        return [one === document.body ? '' : one.tagName + ' ' + one.textContent.slice(0, 40), outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
          && (one.contains(over) || over?.contains(one) === true), isFirst]; })()`,
    );
    if (isFirst || (what === '' && found.length > 0)) return found;
    if (what !== '') found.push([what, isSeen]);
  }
}

for (const [name, size] of [
  ['working', { width: 1440, height: 1000 }],
  // As wide as a window of 1,280 px at 400 %.
  ['review', { width: 320, height: 256 }],
] as const)
  test(`DSK-1: at ${size.width} px Tab reaches all there is in "${name}", and shows where it is, under nothing else`, async () => {
    const { fake, page } = await visit(name, size);
    try {
      await page.locator('.task').first().waitFor();
      // A question takes no press while it comes.
      await until(page, 'document.querySelector(".dock") !== null && document.getAnimations().length === 0');
      const reached = await tabThrough(page);
      const hidden = reached.filter(([, isSeen]) => !isSeen).map(([what]) => what);
      assert.equal(hidden, []);
      const all = await page
        .locator('button, a[href], input, summary')
        .filter({ visible: true })
        .evaluateAll((found) => found.filter((one) => !one.closest('[hidden]')).length);
      assert.ok(reached.length >= all, `${reached.length} of ${all}`);
      assert.is(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    } finally {
      await fake.board.close();
    }
  });

test('DSK-1: with the colours of the system and without motion, bars and states are still drawn', async () => {
  const { fake, page } = await visit('review');
  try {
    await page.locator('.task').first().waitFor();
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    const grounds = await page.evaluate<readonly string[]>(
      `['.progress > [data-kind="good"]', '.progress'].map((one) => getComputedStyle(document.querySelector(one)).backgroundColor)`,
    );
    assert.is.not(grounds[0], grounds[1]);
    const moving = await page.evaluate<number>(
      `document.getAnimations().filter(({ effect }) => effect.getKeyframes().some((one) => 'transform' in one || 'opacity' in one)).length`,
    );
    assert.is(moving, 0);
  } finally {
    await fake.board.close();
  }
});

const watchShifts = `globalThis.shifts = []; new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries())
    globalThis.shifts.push(value + ' ' + sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.nodeName).join());
}).observe({ type: 'layout-shift' }); undefined`;

test('DSK-1: nothing jumps while agents print, are refused calls, and end', async () => {
  const { fake, page } = await visit('working');
  try {
    await page.locator('#agents .card').nth(7).waitFor();
    await until(page, 'document.fonts.status === "loaded"');
    await page.evaluate(watchShifts);
    const working = stateOf('working');
    const text = 'A line that is much longer than what a card has room for, so that it is cut '.repeat(3);
    const agents = working.agents.map((one) => ({ ...one, recent: [{ kind: 'said' as const, text }] }));
    fake.show({ ...working, agents });
    await page.locator('#agents .card', { hasText: 'A line that' }).first().waitFor();
    // Each is booked when it ends.
    const booked = agents.map(({ id, role, task, started_at: from }) => {
      return { id, role, task, from: Date.parse(from), to: Date.now(), outcome: 'done', cost_usd: 0.1 };
    });
    fake.show({ ...working, agents: agents.slice(0, 2), checks: [], runs: [...working.runs, ...booked.slice(2)] });
    await page.locator('#work-title', { hasText: /^At work: 2 agents$/ }).waitFor();
    fake.show({ ...working, agents: [], checks: [], runs: [...working.runs, ...booked] });
    await page.getByText('No agents or checks are running.').waitFor();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.equal(await page.evaluate('globalThis.shifts'), []);
  } finally {
    await fake.board.close();
  }
});

test('DSK-1: the graph gives titles the room there is, with groups, on a phone in a frame that scrolls', async () => {
  const tasks = Object.fromEntries(
    ['Read limits from settings, with a default for each plan', 'Let an administrator lift a limit'].map(
      (title, at) => [`task-00${at}`, fakeTask({ title, group: 'settings', needs: at === 0 ? [] : ['task-000'] })],
    ),
  );
  const { fake, page } = await visit('working');
  try {
    fake.show({ ...stateOf('working'), tasks });
    await page.locator('.task[data-id="task-000"]').waitFor();
    await page.keyboard.press('v');
    const node = page.locator('#graph .node[data-id="task-000"]');
    await node.waitFor();
    const cut = `document.querySelector('#graph .node-title').scrollHeight > document.querySelector('#graph .node-title').clientHeight`;
    assert.is(await page.evaluate(cut), false);
    assert.ok(((await node.boundingBox())?.width ?? 0) > 300);
    assert.match((await texts(page, '#graph .node'))[0] ?? '', 'settings · task-000');
    await page.setViewportSize({ width: 390, height: 844 });
    await until(page, "document.querySelector('#graph .node').offsetWidth === 200");
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 390);
    await page.locator('#graph .node').nth(1).focus();
    const box = await page.locator('#graph .node').nth(1).boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
  } finally {
    await fake.board.close();
  }
});

test('DSK-1: the lanes can be read as a table, with who waited for whom', async () => {
  const { fake, page } = await visit('failed');
  try {
    await page.getByRole('button', { name: 'As a table' }).click();
    const rows = await texts(page, '#lanes tbody tr');
    assert.ok(
      rows.some((row) => row.startsWith('planner') && row.includes('planner-1a2b3c4d')),
      rows.join('\n'),
    );
    const blocked = rows.find((row) => row.startsWith('Document the limits') && row.includes('was blocked'));
    assert.match(blocked ?? '', 'Show the remaining requests');
    assert.match(blocked ?? '', 'so far');
  } finally {
    await fake.board.close();
  }
});

run();
