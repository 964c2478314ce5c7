import * as assert from 'uvu/assert';
import { barSays, onBar, pageSuite, shot } from '../review-page/browser.ts';
import { requireAccessible } from '../support/axe.ts';
import { printedAddress } from '../support/board.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { programEnd, startProgram } from '../support/program.ts';
import { prepared, type TestRepo } from '../support/repo.ts';

// A changeset that was rejected, done again while its base moved, and is to be decided again.

const { test, visitUrl, run } = await pageSuite('what changed since the last round');

const line = (number: number): string => `line ${number}`;
const text = (change: (number: number) => string = line): string =>
  `${Array.from({ length: 40 }, (_, index) => change(index + 1)).join('\n')}\n`;

// Both attempts change line 20, only the word on line 5 is another one.
const script = [
  'if [ "$FLAME_ATTEMPT" = 1 ]; then word=first; else word=second; echo more > src/more.txt; fi',
  'sed -i "s/^line 5$/$word/; s/^line 20$/twenty/" src/a.txt',
].join('\n');
const tasks = [{ id: 'one', script, locks: ['src/**'], group: 'g-one', title: 'Say it' }];
const comments = [
  { path: 'src/a.txt', line: 5, text: 'Say second.' },
  { path: 'src/a.txt', line: 20, text: 'Why twenty?' },
  { path: 'src/a.txt', line: 20, side: 'old', text: 'This was needed.' },
  { path: 'src/a.txt', line: 35, text: 'And this?' },
  { path: 'src/a.txt', line: 99, text: 'Nowhere.' },
];

/** After the reject the base moves (`moved` is its new text), and the second attempt waits for its decision. */
const secondRound = prepared(async (moved: string | null, clashing: string = script): Promise<TestRepo> => {
  const repo = makeExecProject();
  repo.write('src/a.txt', text());
  repo.commit('Forty lines');
  const plan = writePlan(repo, [{ ...tasks[0]!, script: clashing }]);
  const reject = { reject: 'Not the first.', comments };
  const first = writeDecisions(repo, { plan: ['approve'], changesets: [reject] });
  const rejected = await flame(repo, ['run', 'Go', '--from', plan, '--decisions-file', first]);
  assert.is(rejected.code, 2, rejected.stderr);
  if (moved !== null) {
    repo.write('src/a.txt', moved);
    repo.write('other.txt', 'from somebody else\n');
    repo.commit('Meanwhile');
  }
  const on = writeDecisions(repo, { session: ['continue'] });
  const second = await flame(repo, ['resume', '--decisions-file', on]);
  assert.is(second.code, 2, second.stderr);
  return repo;
});

interface Since {
  readonly isMoved: boolean;
  readonly clashes: readonly string[];
  readonly diffstat: unknown;
  readonly commits: readonly { readonly kind: string }[];
  readonly comments: readonly {
    readonly fate: string;
    readonly line: number | null;
    readonly answer: string[];
  }[];
}

async function sinceOf(repo: TestRepo, name: string): Promise<Since> {
  const shown = await flameJson(repo, ['show', name]);
  assert.is(shown.code, 0, shown.stderr);
  return shown.lines[0]?.since as Since;
}

const onMoved = text((number) => (number === 1 ? 'a new head\nline 1' : number === 35 ? 'moved' : line(number)));

test('RND-1 after a reject, what the author changed is shown, not what landed meanwhile, and what answers each comment', async () => {
  const repo = await secondRound(onMoved);
  const since = await sinceOf(repo, 'g-one');
  assert.equal([since.isMoved, since.clashes, since.diffstat], [true, [], { files: 2, insertions: 2, deletions: 1 }]);
  assert.equal(
    since.comments.map(({ fate, line: now }) => [fate, now]),
    [
      ['changed', null],
      ['stands', 21],
      ['stands', null],
      ['overtaken', null],
      ['unknown', null],
    ],
  );
  assert.equal(
    since.comments[0]?.answer.filter((one) => !one.startsWith(' ')),
    ['-first', '+second'],
  );
  assert.equal(
    since.commits.map(({ kind }) => kind),
    ['changed'],
  );
  const shown = await flame(repo, ['show', 'g-one', '--interdiff']);
  const diff = shown.stdout.slice(shown.stdout.indexOf('diff --git'));
  assert.match(diff, /^-first$/m);
  assert.match(diff, /^\+second$/m);
  assert.not.match(diff, /a new head|moved|somebody else|\+twenty/);
  assert.match(shown.stdout, /Since 1-g-one \([0-9a-f]+\), sent back, “Not the first.”: 2 files changed, \+2 −1/);
  assert.match(shown.stdout, /src\/a\.txt:5 changed\n\s+“Say second.”/);
  assert.match(shown.stdout, /src\/a\.txt:20 unchanged, now line 21/);
});

test('RND-1 of a task it is the same since its attempt was sent back, and nothing where it never was', async () => {
  const repo = await secondRound(onMoved);
  const since = await sinceOf(repo, 'one');
  assert.equal([since.isMoved, since.diffstat], [true, { files: 2, insertions: 2, deletions: 1 }]);
  const { stdout } = await flame(repo, ['show', 'one', '--interdiff']);
  assert.match(stdout, /Since [0-9a-f]+, sent back, “Not the first.”[\s\S]*^-first$/m);
  const fresh = makeExecProject();
  const plan = writePlan(fresh, [{ id: 'one', script: 'echo 1 > one.txt', locks: ['one.txt'], group: 'g' }]);
  const decisions = writeDecisions(fresh, { plan: ['approve'] });
  await flame(fresh, ['run', 'Go', '--from', plan, '--decisions-file', decisions]);
  for (const name of ['one', 'g']) {
    const refused = await flame(fresh, ['show', name, '--interdiff']);
    assert.is(refused.code, 1);
    assert.match(refused.stderr, new RegExp(`no earlier version of ${name} .*\\n.*show ${name} --diff`));
  }
});

test('RND-1 where the base changed the same lines, that is said, and no mark of a conflict is shown', async () => {
  const repo = await secondRound(
    text((number) => (number === 5 ? 'third' : line(number))),
    script.replace('s/^line 5$/', 's/^(line 5|third)$/').replace('sed -i', 'sed -Ei'),
  );
  const since = await sinceOf(repo, 'g-one');
  assert.equal(since.clashes, ['src/a.txt']);
  const { stdout } = await flame(repo, ['show', 'g-one', '--interdiff']);
  assert.match(stdout, /src\/a\.txt: what landed since changed the same lines/);
  assert.not.match(stdout, /<<<<<<<|>>>>>>>/);
  assert.match(stdout, /^\+second$/m);
});

test('RND-1 what was rejected is kept as long as it may be compared with, whatever git cleans up', async () => {
  const repo = await secondRound(onMoved);
  repo.git('reflog', 'expire', '--expire=now', '--all');
  repo.git('gc', '-q', '--prune=now');
  assert.equal((await sinceOf(repo, 'g-one')).diffstat, { files: 2, insertions: 2, deletions: 1 });
});

test('RND-1 on the page the files of that difference alone are shown on request, with the comments and their answers', async () => {
  const repo = await secondRound(onMoved);
  const child = startProgram(repo, ['review', '--web', '--no-open']);
  const ended = programEnd(child);
  const { page, complaints } = await visitUrl(await printedAddress(child, 'Review page'));
  await barSays(page, 'g-one waits for you');
  const since = page.locator('section.since');
  await since.getByText('2 files changed, +2 −1').waitFor();
  assert.match(await since.innerText(), /src\/a\.txt:5 changed[\s\S]*Say second\.[\s\S]*second/);
  await page.locator('tr.d2h-ins td.c', { hasText: 'twenty' }).waitFor();
  await page.keyboard.press('i');
  await page.locator('article[data-since]').waitFor();
  await page.locator('tr.d2h-del td.c', { hasText: 'first' }).waitFor();
  assert.is(await page.locator('tr.d2h-ins td.c', { hasText: 'twenty' }).count(), 0);
  await shot(page, 'since');
  await requireAccessible(page, 'what changed since the last round');
  // Its old side has line numbers of what was seen before: nobody else could place a comment there.
  await page.locator('tr.d2h-del td.n.o', { hasText: '6' }).first().click();
  assert.is(await page.locator('tr.comment').count(), 0);
  await page.locator('tr.d2h-ins td.n.w', { hasText: '6' }).first().click();
  await page.locator('tr.comment textarea').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('i');
  await page.locator('tr.d2h-ins td.c', { hasText: 'twenty' }).waitFor();
  await onBar(page, 'a').click();
  assert.is((await ended).code, 0);
  assert.equal(complaints, []);
  const exported = repo.git('show', 'main:src/a.txt');
  assert.match(exported, /^second$/m);
});

run();
