import * as assert from 'uvu/assert';
import { barSays, onBar, pageSuite, shot } from '../review-page/browser.ts';
import { requireAccessible } from '../support/axe.ts';
import { printedAddress } from '../support/board.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { programEnd, startProgram } from '../support/program.ts';
import { prepared } from '../support/repo.ts';

const { test, visitUrl, run } = await pageSuite('the review page of a command');

const tasks = ['one', 'two', 'three'].map((name) => ({
  id: name,
  script: `echo ${name} >> src/${name}.txt`,
  locks: [`src/${name}.txt`],
  group: name,
}));

/** A session whose changesets wait for a person. */
const waitingProject = prepared(async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, tasks);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const stopped = await flame(repo, ['run', 'Count', '--from', plan, '--decisions-file', decisions]);
  assert.is(stopped.code, 2, stopped.stderr);
  return repo;
});

test('REV-2: approve, reject and skip on the page act on the command that waits, which lands and ends', async () => {
  const repo = await waitingProject();
  const child = startProgram(repo, ['review', '--web', '--no-open']);
  const ended = programEnd(child);
  const { page, complaints } = await visitUrl(await printedAddress(child, 'Review page'));
  await barSays(page, 'one waits for you, and 2 more');
  await onBar(page, 'a').click();
  await barSays(page, 'three waits for you');
  await page.keyboard.press('s');
  await page.keyboard.press('Enter');
  await barSays(page, 'two waits for you');
  await page.locator('td.n.w', { hasText: '1' }).first().click();
  await page.keyboard.type('Count on.');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('r');
  await page.getByLabel('Reason').fill('Too early');
  await page.locator('.answer-send').click();
  await page.getByText('This run has ended.').first().waitFor();
  await page.locator('nav button[data-id="1-one"] .badge.landed').waitFor();
  const { code, stderr } = await ended;
  assert.is(code, 0, stderr);
  for (const line of [
    '1-one: approved',
    '1-three: skipped',
    '1-two: rejected (Too early)',
    '1-one landed on main',
    'Decided on the review page: changeset one, ',
  ])
    assert.ok(stderr.includes(line), `${line} in ${stderr}`);
  assert.is(repo.git('show', 'main:src/one.txt'), 'one');
  const status = (await flameJson(repo, ['status'])).lines[0] as {
    tasks: { id: string; history: { comments?: { text: string; excerpt: string }[] }[] }[];
  };
  const [comment] = status.tasks.find(({ id }) => id === 'two')?.history.at(-1)?.comments ?? [];
  assert.equal([comment?.text, comment?.excerpt], ['Count on.', '> 1 | two']);
  assert.equal(complaints, []);
});

test('a command that is ended by a signal, or killed, is seen on the page', async () => {
  const repo = await waitingProject();
  for (const [signal, words] of [
    ['SIGINT', 'This run has ended.'],
    ['SIGKILL', 'git flame is not responding'],
  ] as const) {
    const child = startProgram(repo, ['run', '--web', '--no-open']);
    const ended = programEnd(child);
    const { page } = await visitUrl(await printedAddress(child, 'Review page'));
    await barSays(page, 'one waits for you');
    child.kill(signal);
    await page.locator('#message', { hasText: words }).waitFor();
    assert.ok(await onBar(page, 'a').isDisabled(), signal);
    const { code, stderr } = await ended;
    assert.is(code, signal === 'SIGINT' ? 130 : -1, stderr);
  }
});

test('REV-1: the review as a file: the same without script, opened from disk, and decides nothing', async () => {
  const repo = await waitingProject();
  const exported = await flame(repo, ['review', '--export', 'review.html']);
  assert.is(exported.code, 0, exported.stderr);
  const { page, requests, complaints } = await visitUrl(`file://${repo.path}/review.html`);
  for (const name of ['one', 'two', 'three']) {
    await page.locator('h1', { hasText: name }).waitFor();
    await page.locator(`#\\31 -${name} tr.d2h-ins td.c`, { hasText: name }).waitFor();
  }
  assert.is(await page.locator('script, button:not(.fold), dialog').count(), 0);
  await shot(page, 'export');
  await requireAccessible(page, 'the review as a file');
  assert.equal(
    requests.filter((url) => !url.startsWith('file:') && url !== 'data:,'),
    [],
  );
  assert.equal(complaints, []);
  const only = await flame(repo, ['review', '--export', '-', '--changeset', 'two']);
  assert.match(only.stdout, /<h1>two<\/h1>/);
  assert.not.match(only.stdout, /<h1>one<\/h1>/);
  const missing = await flame(repo, ['review', '--export', 'x.html', '--changeset', 'nine']);
  assert.is(missing.code, 1);
  const nowhere = await flame(repo, ['review', '--export', 'no/such/folder/x.html']);
  assert.match(nowhere.stderr, /can't be written: it doesn't exist/);
});

run();
