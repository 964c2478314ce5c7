import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { AgentQuestion } from '../../../lib/domain/agent-messages.ts';
import { onBar, pageSuite, shot } from '../../review-page/browser.ts';
import { requireAccessible } from '../../support/axe.ts';
import { boardAddress } from '../../support/board.ts';
import { makeExecProject, type ScriptTask, writePlan } from '../../support/exec-project.ts';
import { programEnd, startProgram } from '../../support/program.ts';
import type { TestRepo } from '../../support/repo.ts';
import { asking, busyBoard, openFakeBoard } from './fake-board.ts';

const { test, visitUrl, run } = await pageSuite('the questions on the board');

function project(config: Readonly<Record<string, unknown>> = {}): TestRepo {
  const commands = ['! grep -q bad *.txt'];
  return makeExecProject({ config: { validation: { validator_diagnostics: { commands } }, ...config } });
}

const hostile = '<img src=x onerror=alert(1)>';
const tasks: readonly ScriptTask[] = [
  { id: 'bad', title: 'Spoil it', script: 'echo bad > bad.txt', locks: ['bad.txt'], group: 'bad' },
  { id: 'one', title: 'First', script: 'echo 1 > one.txt', locks: ['one.txt'], group: 'pair' },
  { id: 'two', title: 'Second', script: 'echo 2 > two.txt', locks: ['two.txt'], group: 'pair' },
  {
    id: 'odd',
    title: '<b>Third</b>',
    script: `echo '${hostile}' > odd.txt`,
    locks: ['odd.txt'],
    group: 'odd',
  },
];

/** The question that is shown. */
async function card(page: Page, title: string): Promise<ReturnType<Page['locator']>> {
  const found = page.locator('article.gate', { has: page.locator('h3', { hasText: title }) });
  await found.waitFor();
  return found;
}

/** Chooses an answer, fills in its form and sends it. */
async function give(
  page: Page,
  title: string,
  choice: string,
  words: Readonly<Record<string, string>> = {},
): Promise<void> {
  const question = await card(page, title);
  const button = question.locator('.answers').getByRole('button', { name: new RegExp(`^${choice}…?$`) });
  const hasForm = (await button.getAttribute('aria-expanded')) !== null;
  await button.click();
  if (!hasForm) return;
  for (const [label, text] of Object.entries(words)) await question.getByLabel(label).fill(text);
  await question.locator('.answer-send').click();
}

test('DSK-1: each question of a session is answered in a browser, and what was decided stays to be seen', async () => {
  const repo = project();
  const child = startProgram(repo, ['run', 'Count', '--from', writePlan(repo, tasks), '--web', '--no-open']);
  const ended = programEnd(child);
  const { page, complaints, requests } = await visitUrl(await boardAddress(child));
  await card(page, 'Approve this plan of 4 tasks?');
  await shot(page, 'board-plan');
  const plan = await card(page, 'Approve this plan');
  await plan.locator('.answers').getByRole('button', { name: 'Edit' }).click();
  const text = plan.getByLabel('The plan');
  await text.and(page.locator(':read-write')).waitFor();
  await text.fill((await text.inputValue()).replace('dependencies: []', 'dependencies: [nobody]'));
  await plan.locator('.answer-send').click();
  await plan.getByRole('alert').filter({ hasText: 'nobody' }).waitFor();
  // What was written stays where it is refused.
  await text.fill((await text.inputValue()).replace('[nobody]', '[]').replace('First', 'The first'));
  await page.keyboard.press('Control+Enter');
  await page.locator('#decided', { hasText: 'the plan: edited (decided on the board)' }).waitFor();
  await give(page, 'Approve this plan', 'Approve');

  const failed = await card(page, '"Spoil it" failed its validation');
  await failed.getByText('✗ ! grep -q bad *.txt: exit 1').waitFor();
  await shot(page, 'board-validation');
  // Read aloud as it is seen.
  await page.getByRole('button', { name: 'Spoil it failed validation · bad', exact: true }).waitFor();
  await give(page, '"Spoil it" failed its validation', 'Check again');
  await page.locator('#decided', { hasText: 'checked again' }).waitFor();
  await give(page, '"Spoil it" failed its validation', 'Pass with a reason', {
    'Pass it anyway': 'It is meant to be.',
  });

  const red = await card(page, 'bad');
  await red.getByText('checks fail').first().waitFor();
  await red.locator('.answers').getByRole('button', { name: 'Approve…', exact: true }).click();
  await red.getByLabel('Approve it anyway').waitFor();
  // The browser itself asks for what is needed.
  await red.locator('.answer-send').click();
  assert.is(await red.locator('textarea:invalid').count(), 1);
  await page.keyboard.press('Escape');
  await give(page, 'bad', 'Send back', { Reason: 'Others would fail with it.' });
  await card(page, 'odd');
  await give(page, 'odd', 'Skip');
  const pair = await card(page, 'pair');
  await pair.locator('.answers').getByRole('button', { name: 'Send some tasks back' }).click();
  await pair.getByLabel('two Second').check();
  await pair.getByLabel('Reason').fill('Count on.');
  await shot(page, 'board-changeset');
  await pair.locator('.answer-send').click();
  await page.locator('#decided', { hasText: 'sent back (two): Count on.' }).waitFor();
  await give(page, 'pair', 'Approve');
  await card(page, 'Cycle 1 is over');
  await shot(page, 'board-session');
  await give(page, 'Cycle 1 is over', 'Stop');
  await page.getByText('This run has ended').waitFor();
  // What it ended with is shown: nothing is left to answer, and no run in progress.
  await page.locator('#decided', { hasText: 'the next cycle: ' }).waitFor();
  assert.is(await page.locator('.gate').count(), 0);
  await page.locator('#figures', { hasText: 'no run in progress' }).waitFor();
  const { code, stderr } = await ended;
  assert.is(code, 0, stderr);
  assert.is(repo.git('show', 'main:one.txt'), '1');
  assert.throws(() => repo.git('show', 'main:two.txt'));
  // The one answer that was refused.
  assert.equal(
    complaints.map((words) => words.replace(/.*status of /, '')),
    ['409 (Conflict)'],
  );
  const { origin } = new URL(page.url());
  assert.equal(
    requests.filter((url) => !url.startsWith(origin) && url !== 'data:,'),
    [],
  );
});

test('DSK-1: the review page lies below the board, and what is decided there is seen on it', async () => {
  const repo = project();
  const child = startProgram(repo, ['run', 'Count', '--from', writePlan(repo, tasks.slice(1)), '--web', '--no-open']);
  const ended = programEnd(child);
  const { page, complaints } = await visitUrl(await boardAddress(child));
  await give(page, 'Approve this plan', 'Approve');
  const odd = await card(page, 'odd');
  const [review] = await Promise.all([
    page.waitForEvent('popup'),
    odd.getByRole('link', { name: 'Review the diff' }).click(),
  ]);
  await review.locator('td', { hasText: 'onerror=alert(1)' }).first().waitFor();
  await shot(review, 'board-review');
  const back = await review.getByRole('link', { name: 'Board' }).getAttribute('href');
  assert.is(new URL(back ?? '', review.url()).href, page.url());
  await review.locator('tr.d2h-ins td.n.w').first().click();
  await review.getByRole('button', { name: 'Suggest changes' }).click();
  await review.getByLabel('Comment on line 1 of odd.txt').fill('```suggestion\nodd, but harmless\n```');
  await review.keyboard.press('Control+Enter');
  await review.getByRole('button', { name: 'Apply as my commit' }).click();
  // It is checked and built again once the others are decided.
  await give(page, 'pair', 'Send back', { Reason: 'No.' });
  await review.locator('tr.d2h-ins td.c', { hasText: 'odd, but harmless' }).waitFor();
  await onBar(review, 'a').click();
  await page.locator('#decided', { hasText: 'changeset odd: approved (decided on the review page)' }).waitFor();
  await review.locator('nav .badge.rejected').first().waitFor();
  await give(page, 'Cycle 1 is over', 'Stop');
  const { code, stderr } = await ended;
  assert.is(code, 0, stderr);
  assert.is(repo.git('log', '-1', '--format=%s', 'main').includes('odd'), true);
  assert.is(repo.git('show', 'main:odd.txt'), 'odd, but harmless');
  assert.equal(complaints, []);
});

test('DSK-1: what was begun stays where another tab was faster, on a phone too, and a tab that slept knows it', async () => {
  const repo = project();
  const argv = ['run', 'Count', '--from', writePlan(repo, tasks.slice(1)), '--web', '--no-open'];
  const child = startProgram(repo, argv);
  const ended = programEnd(child);
  const url = await boardAddress(child);
  const { page } = await visitUrl(url);
  const { page: phone } = await visitUrl(url, { width: 390, height: 844 });
  await give(page, 'Approve this plan', 'Approve');
  const begun = await card(phone, 'odd');
  await begun.locator('.answers').getByRole('button', { name: 'Send back…', exact: true }).click();
  await begun.getByLabel('Reason').fill('It is not what was asked.');
  await shot(phone, 'board-phone');
  const width = await phone.locator('html').evaluate(({ scrollWidth }) => scrollWidth);
  assert.is(width, 390);
  await phone.context().setOffline(true);
  await give(page, 'odd', 'Approve');
  await card(page, 'pair');
  await phone.context().setOffline(false);
  await phone.locator('#decided', { hasText: 'changeset odd: approved (decided on the board)' }).waitFor();
  await phone.getByText('Your draft').click();
  await phone.getByText('It is not what was asked.').waitFor();
  await card(phone, 'pair');
  await phone.emulateMedia({ colorScheme: 'dark' });
  await shot(phone, 'board-phone-dark');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'board-dark');
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  assert.is(await page.locator('.answers').isVisible(), false);
  await shot(page, 'board-print');
  child.kill('SIGKILL');
  await phone.locator('#message.gone').waitFor();
  await ended;
});

test('DSK-6: what an agent asks is answered by keys alone, by an option or in words, and its text is only text', async () => {
  const { board, answers, show } = await openFakeBoard();
  const asks = (id: string, questions: readonly AgentQuestion[]) => {
    const { gate = null } = asking({
      ...{ gate: 'question', agent: 'worker-1a2b3c4d', task: 'one', title: `Lock out ${hostile}` },
      ...{ questions, until: '2026-02-06T14:40:22.000Z' },
    });
    return busyBoard({ gate: gate === null ? null : { ...gate, id } });
  };
  const options = [
    { label: '2', description: `a server ${hostile}` },
    { label: `</button>${hostile}`, description: '' },
  ];
  show(asks('gate-1', [{ question: `How many?\n${hostile}\u202e`, options, isSeveral: false }]));
  try {
    const { page, complaints } = await visitUrl(board.url);
    const one = await card(page, 'worker-1a2b3c4d asks about "Lock out');
    await one.getByText('Continues without an answer at').waitFor();
    await one
      .getByRole('listitem')
      .filter({ hasText: `2 </button>${hostile}` })
      .waitFor();
    await requireAccessible(page, 'a question of an agent');
    await shot(page, 'board-question');
    await page.keyboard.press('w');
    // One press gives it; what it comes to is said before.
    await one.locator('.means', { hasText: 'a server' }).waitFor();
    await page.keyboard.press('Enter');
    await untilAnswered(page, answers, 1);

    const several = { question: 'Which of them?', options, isSeveral: true };
    show(asks('gate-2', [{ question: 'And why?', options: [], isSeveral: false }, several]));
    await page.getByText('And why?').waitFor();
    await page.keyboard.press('w');
    // More than one answer, or several options, are given in words alone.
    await page.keyboard.press('Enter');
    const first = page.getByLabel('And why?');
    await first.and(page.locator(':focus')).waitFor();
    await page.keyboard.type(hostile);
    await page.keyboard.press('Tab');
    await page.keyboard.type('1,2');
    await page.keyboard.press('Control+Enter');
    await untilAnswered(page, answers, 2);
    assert.equal(answers, [
      { kind: 'answer', answers: ['1'] },
      { kind: 'answer', answers: [hostile, '1,2'] },
    ]);
    assert.is(await page.locator('img').count(), 0);
    assert.equal(complaints, []);
  } finally {
    await board.close();
  }
});

/** Until the page has been told that so many answers count. */
async function untilAnswered(page: Page, answers: readonly unknown[], count: number): Promise<void> {
  while (answers.length < count) await page.waitForResponse((response) => response.url().includes('/api/answer'));
}

run();
