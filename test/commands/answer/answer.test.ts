import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MachineSessionsView } from '../../../lib/domain/view-models/machine-sessions-view.ts';
import { ownIdentity } from '../../../lib/util/process-identity.ts';
import { withBoard } from '../../support/board.ts';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { flame, flameJson } from '../../support/flame.ts';
import { answerGate, nextGate } from '../../support/gates.ts';
import { programEnd, runProgram } from '../../support/program.ts';
import type { TestRepo } from '../../support/repo.ts';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import { hasTmux, openTerminal } from '../../support/terminal.ts';

const tasks = ['one', 'two'].map((name) => ({
  id: name,
  script: `echo 1 > ${name}.txt`,
  locks: [`${name}.txt`],
  group: name,
}));

function runArgs(repo: TestRepo, plan = tasks): readonly string[] {
  return ['run', 'Count', '--from', writePlan(repo, plan), '--web', '--no-open'];
}

interface Listed {
  readonly id: string;
  readonly asks: { readonly gate: string };
  readonly answers: readonly { readonly answer: string; readonly usage: string }[];
}

async function listed(repo: TestRepo): Promise<readonly Listed[]> {
  const { lines } = await flameJson(repo, ['answer']);
  return (lines[0] as { readonly gates: readonly Listed[] }).gates;
}

/** The same once anything is asked: a machine with too much to do is slower than the command waits for. */
async function asked(repo: TestRepo): Promise<Listed> {
  for (let looks = 0; looks < 10; looks += 1) {
    const [first] = await listed(repo);
    if (first !== undefined) return first;
  }
  throw new Error('nothing is asked');
}

test('DSK-1: what a run asks is listed and answered by a command, and its board hears of it', async () => {
  const repo = makeExecProject();
  await withBoard(
    repo,
    async (board) => {
      const ended = programEnd(board.child);
      const plan = await nextGate(board, 'plan');
      const { stdout } = await runProgram(repo, ['answer']);
      assert.match(stdout, `git flame answer ${plan.id} approve`);
      assert.match(stdout, 'Approve this plan of 2 tasks?');
      const status = await flame(repo, ['status']);
      assert.match(status.stdout, 'Waits for you\n  asked now: Approve this plan of 2 tasks?\n\n');
      assert.match(status.stdout, 'A run is in progress.\nnext: git flame answer\n');
      const { sessions } = (await flameJson(repo, ['status', '--all'])).lines[0] as unknown as MachineSessionsView;
      const here = sessions.find(({ repository }) => repository === repo.path);
      assert.equal(
        [here?.standing, here?.waits, here?.since, here?.next],
        ['waits', ['asked now: Approve this plan of 2 tasks?'], plan.asked_at, `cd ${repo.path} && git flame answer`],
      );
      const second = await flame(repo, ['run']);
      assert.is(second.code, 1);
      assert.match(second.stderr, /is working on session \S+ and waits for your answer\.\n {2}Approve this plan of 2/);
      assert.match(second.stderr, /\nnext: git flame answer\n/);
      const { asks } = (await flameJson(repo, ['status'])).lines[0] as { asks: readonly object[] };
      assert.equal(asks, [
        {
          ...{ id: plan.id, gate: 'plan', asks: 'Approve this plan of 2 tasks?', asked_at: plan.asked_at },
          next: 'git flame answer',
        },
      ]);
      const [asked] = await listed(repo);
      assert.equal(
        asked?.answers.map(({ usage }) => usage),
        ['approve', 'edit FILE', 'replan NOTES', 'quit'],
      );
      const shown = await flame(repo, ['answer', plan.id, '--print', 'plan']);
      writeFileSync(join(repo.path, '.git/mine.yml'), shown.stdout.replace('Do one', 'Do number one'));
      const edited = await runProgram(repo, ['answer', plan.id, 'edit', '.git/mine.yml']);
      assert.is(edited.code, 0, edited.stderr);
      assert.match(edited.stdout, 'Answered: the plan, edited.');
      const again = await nextGate(board, 'plan', plan.id);
      const late = await flame(repo, ['answer', plan.id, 'approve']);
      assert.is(late.code, 1);
      assert.match(late.stderr, /the plan was already decided by a command by .*: edited\./);
      const { lines } = await flameJson(repo, ['answer', again.id, 'approve']);
      assert.equal([lines[0]?.about, lines[0]?.answer], ['the plan', 'approved']);
      await board.until(({ decided }) => decided[0]?.where === 'command' && decided.length === 2);
      const first = await nextGate(board, 'changesets');
      const rejected = await flame(repo, [
        'answer',
        first.id,
        'reject',
        'Too early,',
        'really.',
        '--keep-work',
        ...['--comment', 'one.txt:1 Count from zero.'],
        ...['--comment', 'one.txt:1-1 Or rather:\n```suggestion\n0\n```'],
      ]);
      assert.is(rejected.code, 0, rejected.stderr);
      // It is recorded once the next one is asked about.
      const next = await nextGate(board, 'changesets', first.id);
      const told = await flame(repo, ['show', 'one']);
      assert.match(told.stdout, 'Count from zero.');
      const story = await flame(repo, ['show', again.session ?? '']);
      assert.match(story.stdout, /plan +approve .* command$/m);
      assert.match(told.stdout, '```suggestion');
      assert.match((await flame(repo, ['answer', next.id, '--print', 'diff'])).stdout, '+++ b/two.txt');
      assert.is((await flame(repo, ['answer', next.id, 'approve', '--message', 'Count to two'])).code, 0);
      const session = await nextGate(board, 'session');
      assert.is((await flame(repo, ['answer', session.id, 'stop'])).code, 0);
      const { code, stderr } = await ended;
      assert.is(code, 0, stderr);
      assert.match(stderr, 'Decided by a command: changeset one, sent back: Too early, really.');
    },
    runArgs(repo),
  );
  assert.match(repo.git('log', '-1', '--format=%s', 'main'), 'Count to two');
});

test('an answer that is none, unknown or not whole changes nothing, and says what could be answered', async () => {
  const repo = makeExecProject();
  const nothing = await flame(repo, ['answer']);
  assert.equal([nothing.code, nothing.stdout], [0, 'No run is asking anything now.\n']);
  const unknown = await flame(repo, ['answer', 'gate-00000000', 'approve']);
  assert.is(unknown.code, 1);
  assert.match(unknown.stderr, 'no run of this machine asks "gate-00000000"');
  await withBoard(
    repo,
    async (board) => {
      const plan = await nextGate(board, 'plan');
      const wrong: readonly (readonly [readonly string[], number, string])[] = [
        [['raise', '5'], 129, `git flame answer ${plan.id} replan NOTES`],
        [['replan'], 129, 'replan needs NOTES'],
        [['replan', 'x', '--comment', 'a.ts:1 Why?'], 129, 'replan takes no --comment here'],
        [['replan', 'x', '--comment', 'Why?'], 129, '"Why?" is not a comment on a line'],
        [['approve', 'because'], 129, 'approve takes nothing more'],
        [['quit', '--keep-work'], 129, 'quit takes no --keep-work here'],
        [['edit', 'none.yml'], 129, 'none.yml'],
        [['--print', 'diff'], 1, 'has no text "diff"'],
        [['--print', 'all'], 1, 'has no text "all"'],
      ];
      for (const [words, code, said] of wrong) {
        const refused = await flame(repo, ['answer', plan.id, ...words]);
        assert.is(refused.code, code, `${words}: ${refused.stderr}`);
        assert.match(refused.stderr, said);
      }
      const nameless = await flame(repo, ['answer', 'approve']);
      assert.is(nameless.code, 1);
      assert.match(nameless.stderr, 'no run of this machine asks "approve"');
      const dry = await flame(repo, ['answer', plan.id, 'approve', '--dry-run']);
      assert.match(dry.stdout, `Would answer ${plan.id}.`);
      const { gate } = await board.until(() => true);
      assert.is(gate?.id, plan.id);
    },
    runArgs(repo),
  );
});

test('two answers at once: one counts, the other is told which', async () => {
  const repo = makeExecProject();
  await withBoard(
    repo,
    async (board) => {
      const plan = await nextGate(board, 'plan');
      const both = await Promise.all([
        runProgram(repo, ['answer', plan.id, 'approve']),
        runProgram(repo, ['answer', plan.id, 'approve']),
        answerGate(board, plan, { kind: 'approve' }).then((said) => ({
          code: said === '' ? 0 : 1,
          stderr: said,
        })),
      ]);
      assert.is(both.filter(({ code }) => code === 0).length, 1);
      for (const { stderr } of both.filter(({ code }) => code !== 0)) assert.match(stderr, 'was already decided');
    },
    runArgs(repo),
  );
});

test('what a chat types answers nothing', async () => {
  const repo = makeExecProject();
  await withBoard(
    repo,
    async (board) => {
      const plan = await nextGate(board, 'plan');
      const folder = join(repo.path, '.git/blueflame/chats');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'queen-1'), JSON.stringify({ ...ownIdentity(), namespace: 'pid:[1]' }));
      const refused = await runProgram(repo, ['answer', plan.id, 'approve'], { env: { CLAUDECODE: '1' } });
      assert.is(refused.code, 2);
      assert.match(refused.stderr, "needs a person's decision");
      const { gate } = await board.until(() => true);
      assert.is(gate?.id, plan.id);
    },
    runArgs(repo),
  );
});

testIf(
  test,
  hasBubblewrap(),
  'bubblewrap cannot make a cell here',
)('an agent in its cell finds no way to the questions of its run', async () => {
  const repo = makeExecProject();
  const find = 'find "$(git rev-parse --git-common-dir)" /tmp /run -name "door*" 2>&1';
  const [one] = tasks;
  const script = `${find} > one.txt; git flame answer >> one.txt 2>&1; echo over >> one.txt`;
  await withBoard(
    repo,
    async (board) => {
      const plan = await nextGate(board, 'plan');
      // The same looks find it outside, where others take away folders while it looks.
      const outside = execFileSync('sh', ['-c', `${find}; true`], { cwd: repo.path, encoding: 'utf8' });
      assert.match(outside, 'blueflame/run/door-');
      assert.is((await flame(repo, ['answer', plan.id, 'approve'])).code, 0);
      const changeset = await nextGate(board, 'changesets');
      const { stdout } = await flame(repo, ['answer', changeset.id, '--print', 'diff']);
      assert.match(stdout, '+over');
      assert.not.match(stdout, /door-|gate-/);
    },
    runArgs(repo, one === undefined ? [] : [{ ...one, script }]),
  );
});

testIf(
  test,
  hasTmux,
  'tmux is not installed',
)('a question that stands at the terminal goes away there once a command has answered it', async () => {
  const repo = makeExecProject();
  const terminal = openTerminal(repo, { columns: 120, rows: 50 });
  try {
    terminal.type(`git flame run Count --from ${writePlan(repo, tasks)}`, 'Enter');
    await terminal.until(/\(q\)uit\?/);
    const plan = await asked(repo);
    assert.is((await flame(repo, ['answer', plan.id, 'approve'])).code, 0);
    await terminal.until(/Decided by a command: the plan, approved\.[\s\S]*Changeset 1\/2[\s\S]*kip.*\?/);
    terminal.type('s', 'Enter');
    await terminal.until(/Changeset 2\/2[\s\S]*kip.*\?/);
    const second = await asked(repo);
    // Half an answer stands there.
    terminal.type('r', 'Enter');
    await terminal.until(/Reason \(Enter: back\):/);
    assert.is((await flame(repo, ['answer', second.id, 'approve'])).code, 0);
    await terminal.until(/Decided by a command: changeset two, approved\./);
  } finally {
    terminal.close();
  }
});

test.run();
