import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { QuestionData } from '../../../lib/domain/questions/question-data.ts';
import type { BoardTaskDetails } from '../../../lib/domain/view-models/board-view.ts';
import { pageSuite, shot } from '../../review-page/browser.ts';
import { requireAccessible } from '../../support/axe.ts';
import { commitA } from '../samples.ts';
import { asking, busyBoard, type FakeBoard, fakeTask, openFakeBoard } from './fake-board.ts';

const { test, visitUrl, run } = await pageSuite('the board as a page');

const bad = { command: 'npm test', result: 'exit 1', is_good: false, output: 'not ok 2\n' };
const other = { task: 'one', attempt: 2, words: '+3 −1, its checks pass' };
const undoable = [{ id: '1-api', group: 'api', state: 'rejected' as const, reason: 'No tests.' }];
const questions: readonly QuestionData[] = [
  {
    ...{
      gate: 'plan',
      objective: 'Add a login',
      tasks: 7,
      problems: ['one needs itself'],
      notes: ['about 2 USD'],
    },
    ...{ replans_left: 1, quit_means: 'the session ends without this plan' },
  },
  {
    ...{
      gate: 'validation',
      task: 'two',
      title: 'Lock out',
      by: 'validator-1a2b3c4d',
      notes: 'Five is too few.',
    },
    ...{
      issues: ['src/a.txt: no test'],
      checks: [bad],
      description: 'Do it.',
      file_locks: ['src/'],
      others: [other],
    },
  },
  {
    gate: 'validator_failed',
    task: 'two',
    title: 'Lock out',
    reason: 'It ended early.',
    checks: [bad],
    red: true,
  },
  {
    ...{ gate: 'changesets', id: '1-auth', group: 'auth', commit: commitA, depends_on: [], missing: [] },
    ...{
      diffstat: { files: 2, insertions: 9, deletions: 1 },
      position: 1,
      total: 2,
      red: true,
      checks: [bad],
    },
    tasks: [
      { id: 'two', title: 'Lock out', verdict: 'fail', notes: 'Five is too few.' },
      { id: 'three', title: 'Log out', verdict: null, notes: '' },
    ],
    ...{
      answers: ['two: src/a.txt:3 ada: Five is too few.'],
      warnings: ["Stacked on api: if that isn't approved, this is deferred."],
      on_top: ['seven goes back.'],
      others: [other],
    },
    ...{ has_message: true, undoable },
  },
  {
    ...{
      gate: 'session',
      answers: ['continue', 'retry', 'replan', 'stop', 'undo'],
      cycle: 1,
      cycles_left: 2,
    },
    ...{
      results: [
        ['approved', '1 changeset'],
        ['sent back', '1 task'],
      ],
      lines: ['1 cycle left.'],
      undoable,
    },
    troubled: [{ id: 'two', title: 'Lock out', status: 'failed', why: 'a check fails' }],
  },
  { gate: 'budget', spent: 5, limit: 5, unit: 'usd' },
  { gate: 'base', failing: ['npm test ends with 1'] },
];

const stream = [
  { kind: 'said', text: 'I look at the file.' },
  { kind: 'call', text: 'Bash npm test' },
  { kind: 'blocked', text: 'Bash curl https://example.com' },
  { kind: 'gap', text: '20 lines' },
] as const;
const details: Partial<BoardTaskDetails> = {
  ...{ acceptance: ['It locks.'], constraints: ['No network.'], adapter: 'claude', model: 'opus' },
  prompt: { system: 'You work.', prompt: 'Do it.' },
  attempts: [
    {
      number: 1,
      agent: 'worker-0000aaaa',
      at: '2026-02-06T14:30:22.000Z',
      result: 'rejected',
      notes: 'No.',
      rejection: 'Late.',
    },
  ],
  verdicts: [
    {
      ...{ status: 'fail', by: 'validator-1a2b3c4d', at: '2026-02-06T14:30:22.000Z', notes: 'No.' },
      ...{ issues: ['src/a.txt'], override: 'It is meant to be.', checks: [bad] },
    },
  ],
  notes: [{ from: 'task-001', text: 'Salt it.' }],
  agents: [
    {
      ...{ id: 'worker-0000aaaa', role: 'worker', outcome: 'done', took_ms: 4_000, cost_usd: 0.1, tokens: 9 },
      blocked: ['Bash curl'],
    },
  ],
  files: [{ path: 'src/a.txt', insertions: 3, deletions: 1 }],
  next: ['git flame show two'],
};

/** How far from the left of their block the lines of texts are drawn, in pixels. */
const linesFromLeft = `[...document.querySelectorAll('pre, .text, .row-title, .row-note, h1, h3, .stream-text, #panel-title, .node-title, .task-title')]
  .filter((block) => block.checkVisibility())
  .flatMap((block) => {
    const style = getComputedStyle(block);
    const from = block.getBoundingClientRect().left + parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth);
    const range = new Range();
    range.selectNodeContents(block);
    const lines = new Map();
    for (const { top, left, width } of range.getClientRects())
      if (width > 0) lines.set(Math.round(top), Math.min(lines.get(Math.round(top)) ?? Infinity, left));
    return [...lines.values()].map((left) => [block.className + ': ' + block.textContent.slice(0, 20), Math.round(left - from)]);
  })`;

/** The same of the sign of the first line that was added. */
const placeOfSign = `(() => {
  const [pre] = [...document.querySelectorAll('pre')].filter(({ textContent }) => textContent.includes('diff --git'));
  const range = new Range();
  const at = pre.textContent.indexOf('+');
  range.setStart(pre.firstChild, at);
  range.setEnd(pre.firstChild, at + 1);
  return range.getBoundingClientRect().left - pre.getBoundingClientRect().left - parseFloat(getComputedStyle(pre).paddingLeft);
})()`;

async function visit(fake: FakeBoard): Promise<Page> {
  const { page } = await visitUrl(fake.board.url);
  return page;
}

test('DSK-1: axe finds nothing wrong with the board: each question with each of its answers open, agents at work, a task', async () => {
  const fake = await openFakeBoard({ stream, details });
  try {
    fake.show(busyBoard());
    const page = await visit(fake);
    await page.locator('#agents .card').waitFor();
    for (const fold of await page.locator('#checks summary, #others summary').all()) await fold.click();
    await requireAccessible(page, 'at work');
    for (const asks of questions) {
      fake.show(busyBoard(asking(asks)));
      const card = page.locator(`article.gate[data-gate="${asks.gate}"]`);
      await card.waitFor();
      for (const fold of await card.locator('.gate-body summary').all()) await fold.click();
      // The others are sent by one press.
      const answers = card.locator('.answers button[aria-expanded]');
      for (let at = 0; at < (await answers.count()); at += 1) {
        await answers.nth(at).click();
        await card.locator('.answer-form textarea:read-only').waitFor({ state: 'detached' });
        // Most forms are alike: what has fields is looked at.
        if ((await card.locator('.answer-form .answer-field, .answer-form fieldset').count()) > 0)
          await requireAccessible(page, `${asks.gate}, ${await answers.nth(at).textContent()}`);
      }
    }
    fake.show(busyBoard());
    await page.getByRole('button', { name: 'Stop… (one)' }).click();
    await page.locator('.stop-how').waitFor();
    await page.getByRole('button', { name: 'As a table' }).click();
    await requireAccessible(page, 'an agent to be stopped, and the table');
    await page.locator('#agents .card-title').click();
    await page.locator('.stream li.blocked').waitFor();
    await page.locator('#panel').getByRole('button', { name: 'Message…' }).click();
    for (const fold of await page.locator('#panel summary').all()) await fold.click();
    await requireAccessible(page, 'a task with its agent');
    await page.keyboard.press('Escape');
    await page.locator('.task').first().waitFor();
    await page.keyboard.press('v');
    await page.locator('#graph .node').first().waitFor();
    await page.keyboard.press('?');
    await requireAccessible(page, 'the graph, and the keys');
    await page.keyboard.press('Escape');
    await fake.board.close();
    await page.getByText('This run has ended').waitFor();
    await requireAccessible(page, 'after the end');
  } finally {
    await fake.board.close();
  }
});

test('what asks stands out while it does, and what an agent is told lies in the card of that agent', async () => {
  const fake = await openFakeBoard({ stream, details });
  try {
    fake.show(busyBoard());
    const page = await visit(fake);
    const card = page.locator('#agents .card');
    await card.waitFor();
    const frameOf = (part: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector('${part}')).borderTopWidth`);
    assert.is(await frameOf('.dock'), '1px');
    assert.is(await frameOf('#agents .card'), '1px', 'the card has a frame');
    assert.is(await card.getByRole('button', { name: 'Message…' }).count(), 1);
    fake.show(busyBoard(asking({ gate: 'budget', spent: 5, limit: 5, unit: 'usd' })));
    await page.locator('article.gate').waitFor();
    assert.is(await frameOf('.dock'), '3px');
    fake.show(busyBoard());
    await page.locator('article.gate').waitFor({ state: 'detached' });
    assert.is(await frameOf('.dock'), '1px');
  } finally {
    await fake.board.close();
  }
});

test('what a task builds on without needing it is a line of another kind in the graph, and named with the file where it is opened', async () => {
  const fake = await openFakeBoard();
  try {
    const overlap = { kind: 'build-on' as const, below: [{ task: 'two', lock: 'readme.md' }] };
    const tasks = {
      one: fakeTask(),
      two: fakeTask({ needs: ['one'] }),
      three: fakeTask({ status: 'proposed', overlap }),
      four: fakeTask({ overlap: { ...overlap, kind: 'separate' } }),
    };
    fake.show(busyBoard({ tasks }));
    const page = await visit(fake);
    await page.locator('.task').first().waitFor();
    await page.keyboard.press('v');
    await page.locator('#graph path.below').waitFor({ state: 'attached' });
    const lines = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('#graph path')].map(({ dataset, classList }) => [dataset.from, dataset.to, classList.contains('below')].join(' ')).sort()",
    );
    assert.equal(lines, ['one two false', 'two three true']);
    assert.is(await page.locator('#alone .node').getAttribute('data-id'), 'four');
    await page.getByText('stacked on it: both change the same files').waitFor();
    await shot(page, 'board-builds-on');
    await page.locator('#graph .node[data-id="three"]').click();
    await page.locator('#panel .facts', { hasText: 'Stacked on' }).getByText('two (readme.md)').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('v');
    await page.locator('#columns').getByText('overlaps with two (readme.md)').waitFor();
  } finally {
    await fake.board.close();
  }
});

test('DSK-1: what is written, unfolded or in focus stays so while the board changes around it, and the next question has the focus', async () => {
  const fake = await openFakeBoard({ stream, details });
  try {
    const budget: QuestionData = { gate: 'budget', spent: 5, limit: 5, unit: 'usd' };
    fake.show(busyBoard(asking(budget)));
    const page = await visit(fake);
    const inFocus = (): Promise<string> =>
      page.evaluate<string>(
        `[document.activeElement.tagName, document.activeElement.textContent || document.activeElement.value].join(' ')`,
      );
    /** Everything else changes: nothing that is there already may go. */
    const changeAll = async (activity: string): Promise<void> => {
      const { agents, checks, tasks: all } = busyBoard();
      const tasks = { ...all, one: { ...all.one!, because: [activity] } };
      const output = `ok 1\n${activity}\n`;
      fake.show(
        busyBoard({
          ...asking(budget),
          ...{
            tasks,
            agents: [{ ...agents[0]!, activity, recent: [{ kind: 'call', text: activity }] }],
            checks: [{ ...checks[0]!, output }],
          },
        }),
      );
      await page.locator('#agents', { hasText: activity }).waitFor({ state: 'attached' });
    };
    await page.locator('#checks summary').click();
    await page.locator('#agents .card-title').click();
    await page.locator('.stream li.blocked').waitFor();
    await page.locator('#panel summary').first().click();
    const card = page.locator('article.gate');
    await card.locator('.answers button', { hasText: 'Raise' }).click();
    await page.keyboard.type('12');
    await changeAll('Bash ls');
    assert.is(await inFocus(), 'INPUT 12');
    assert.is(await page.locator('#checks details[open]').count(), 1);
    assert.is(await page.locator('#checks details[open] pre', { hasText: 'Bash ls' }).count(), 1);
    // What is open beside the board is loaded again, and stays as it is.
    await page.locator('#panel .warning', { hasText: 'Bash ls' }).waitFor();
    assert.is(await page.locator('#panel details[open]').count(), 1);
    assert.is(await page.locator('.stream li').count(), stream.length);
    await page.locator('#panel').getByRole('button', { name: 'Message…' }).click();
    await page.keyboard.type('Use scrypt.');
    await changeAll('Bash cat');
    await page.locator('#panel .warning', { hasText: 'Bash cat' }).waitFor();
    assert.is(await inFocus(), 'TEXTAREA Use scrypt.');
    await page.keyboard.press('Control+Enter');
    await page.locator('.tell form').waitFor({ state: 'hidden' });
    assert.is(await inFocus(), 'BUTTON Message…');
    assert.is(await page.locator('.tell textarea').inputValue(), '');
    await changeAll('Bash id');
    assert.is(await inFocus(), 'BUTTON Message…');
    await card.locator('.answer-send').focus();
    fake.show(busyBoard(asking({ gate: 'base', failing: ['npm test ends with 1'] })));
    await page.locator('article.gate[data-gate="base"]').waitFor();
    assert.is(await inFocus(), `BUTTON ${await card.locator('.answers button').first().textContent()}`);
    // What is closed gives the focus back to what it was opened from.
    await page.keyboard.press('Escape');
    await page.locator('#agents .card-title').and(page.locator(':focus')).waitFor();
    assert.is(await page.locator('#panel').count(), 0);
    await page.locator('#others summary').click();
    await page.locator('#sessions .row-button', { hasText: 'Before' }).click();
    await page.waitForURL(/#session=ses-20260205-143022-1a2b$/);
  } finally {
    await fake.board.close();
  }
});

test('a tall graph opens where its tasks begin', async () => {
  const fake = await openFakeBoard();
  try {
    const many = Array.from({ length: 19 }, (_, at) => [`leaf-${at}`, fakeTask({ needs: ['root'] })] as const);
    fake.show(busyBoard({ tasks: { root: fakeTask(), ...Object.fromEntries(many) } }));
    const page = await visit(fake);
    await page.locator('.task').first().waitFor();
    await page.keyboard.press('v');
    await page.locator('#graph .node').first().waitFor();
    await shot(page, 'board-tall');
    const inSight = await page.evaluate<boolean>(
      `(() => {
        const [all, root] = ['#graph', '#graph .node[data-id="root"]'].map((one) => document.querySelector(one).getBoundingClientRect());
        return root.top >= all.top && root.bottom <= all.bottom && root.left >= all.left;
      })()`,
    );
    assert.ok(inSight, 'the first task is out of sight');
  } finally {
    await fake.board.close();
  }
});

test('D19: lines that begin right-to-left are drawn from the left, with their signs there', async () => {
  const hebrew = 'שלום לכולם';
  const diff = `diff --git a/a.txt b/a.txt\n+${hebrew}\n${hebrew} = 1;\n+latin\n`;
  const fake = await openFakeBoard({ text: diff, stream: [{ kind: 'said', text: hebrew }] });
  try {
    const failed: QuestionData = {
      ...{ gate: 'validator_failed', task: 'two', title: hebrew, reason: hebrew, red: false },
      checks: [{ ...bad, output: `${hebrew} 1\nlatin\n` }],
    };
    fake.show(busyBoard({ ...asking(failed), tasks: { one: fakeTask({ title: hebrew }) } }));
    const page = await visit(fake);
    const card = page.locator('article.gate');
    for (const fold of await card.locator('.gate-body summary').all()) await fold.click();
    await card.locator('pre', { hasText: 'diff --git' }).waitFor();
    await page.locator('#agents .card-title').click();
    await page.locator('.stream li').waitFor();
    await shot(page, 'board-right-to-left');
    const drawn = await page.evaluate<readonly (readonly [string, number])[]>(linesFromLeft);
    assert.ok(drawn.length > 8, `${drawn.length} lines`);
    assert.equal(
      drawn.filter(([, from]) => from > 2),
      [],
    );
    const sign = await page.evaluate<number>(placeOfSign);
    assert.ok(Math.abs(sign) <= 1, `the sign is ${sign} px from the left`);
  } finally {
    await fake.board.close();
  }
});

run();
