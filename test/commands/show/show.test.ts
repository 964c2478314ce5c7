import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../../support/exec-project.ts';
import { flame, flameJson } from '../../support/flame.ts';
import { programFolder } from '../../support/program.ts';
import type { TestRepo } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';

// What runs, what happened, why did this fail: after a run with one task that worked, one that failed and one that
// waits for it.

const hasScript = spawnSync('script', ['-qec', 'true', '/dev/null'], { input: '' }).status === 0;
const testPty = testIf(test, hasScript, 'show: script of util-linux is missing: no pseudo-terminal');

let known: { readonly repo: TestRepo; readonly agent: string } | null = null;

async function aRun(): Promise<{ readonly repo: TestRepo; readonly agent: string }> {
  if (known !== null) return known;
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  for (const name of ['a', 'b', 'c']) repo.write(`${name}.txt`, '');
  repo.commit('add files');
  const plan = writePlan(repo, [
    { id: 'good', script: 'echo 1 >> a.txt', locks: ['a.txt'], group: 'one' },
    {
      id: 'bad',
      script: 'echo half > b.txt; echo "no such thing" >&2; exit 3',
      locks: ['b.txt'],
      group: 'two',
    },
    { id: 'later', script: 'echo 1 >> c.txt', locks: ['c.txt'], group: 'two', needs: ['bad'] },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  await flame(repo, ['run', '--from', plan, '--decisions-file', decisions]);
  const shown = await flameJson(repo, ['show', 'bad']);
  const agent = (shown.lines[0] as { task: { history: { agent_id: string }[] } }).task.history[0]?.agent_id;
  assert.ok(agent);
  const blocked = { tool: 'Write', target: '.env', rule: 'path-blocked', details: 'It is blocked.' };
  const lines = [
    { decision: 'allow', tool: 'Read', target: 'b.txt', rule: 'path-allowed', details: '' },
    { decision: 'block', ...blocked },
    { decision: 'block', ...blocked },
  ];
  repo.write(`.git/blueflame/logs/${agent}.audit.jsonl`, lines.map((line) => JSON.stringify(line)).join('\n'));
  known = { repo, agent };
  return known;
}

test('why did this fail: attempts, blocked calls, its worktree, what to type next', async () => {
  const { repo, agent } = await aRun();
  const { stdout } = await flame(repo, ['show', 'bad']);
  assert.match(stdout, /^bad: Do bad\n {2}status +failed\n {2}why +/);
  assert.match(stdout, /\nDescription\n {2}echo half > b\.txt/);
  assert.match(
    stdout,
    new RegExp(`\\nAttempts\\n  1\\. failed · by ${agent} · .* · took (?:[\\d.]+ m?s|less than 1 s) · \\$0\\.00\\n`),
  );
  assert.match(stdout, /no such thing/);
  const [, why = ''] = /\n {2}why +(.+)\n/.exec(stdout) ?? [];
  assert.is(stdout.split(why.slice(0, 30)).length, 2, `said once: ${stdout}`);
  assert.match(
    stdout,
    `\nCalls\n  ${agent}: 1 allowed, 2 blocked\n    blocked: Write .env (2 times)\n      path-blocked: It is blocked.\n`,
  );
  assert.match(stdout, new RegExp(`\\nKept\\n  worktree /\\S+/${agent}\\n`));
  assert.match(
    stdout,
    new RegExp(
      `\nnext: git flame show bad --diff\nnext: git -C /\\S+/${agent} status\nnext: git flame agent attach ${agent}\n`,
    ),
  );
});

test('the story of what worked: commits, files, verdict, evidence, landing; with --diff the diff', async () => {
  const { repo } = await aRun();
  const { stdout } = await flame(repo, ['show', 'good', '--diff']);
  assert.match(stdout, /\nWork\n {2}[0-9a-f]{10} .+\n {2}a\.txt {2}\+1 {2}-0\n {2}1 file changed, 1 insertion\(\+\)/);
  assert.match(stdout, /\nVerdicts\n {2}pass at [0-9a-f]{10} by diagnostics/);
  assert.match(stdout, /\nChangesets\n {2}1-one landed as [0-9a-f]{10} by /);
  assert.match(stdout, /\n\+1\n/);
  const { lines } = await flameJson(repo, ['show', 'good']);
  const [story] = lines;
  assert.equal(Object.keys(story ?? {}), [
    ...[
      'schema_version',
      'task',
      'verdicts',
      'verifications',
      'doubts',
      'notes',
      'waits_for',
      'runs',
      'times',
      'calls',
    ],
    ...['work', 'worktrees', 'rescues', 'uncounted', 'uncounted_verdicts', 'changesets', 'next'],
  ]);
});

test('an agent, a changeset, a session; what is not there is looked for in other sessions', async () => {
  const { repo, agent } = await aRun();
  const shownAgent = await flame(repo, ['show', agent]);
  assert.match(shownAgent.stdout, new RegExp(`^${agent}\n  task  bad\n\nResult\n  failed: `));
  assert.match(shownAgent.stdout, /path-blocked/);
  const changeset = await flame(repo, ['show', '1-one']);
  assert.match(changeset.stdout, /\n {5}a\.txt {2}\+1 -0\n[\s\S]*\nDecision\n {2}landed as [0-9a-f]{10} by /);
  const session = await flame(repo, ['show']);
  assert.match(session.stdout, /\nDecisions\n {2}\S+ \S+ UTC {2}plan +approve +/);
  const id = session.stdout.split('\n')[0] ?? '';
  assert.is((await flame(repo, ['show', id])).stdout, session.stdout);
  const plan = writePlan(repo, [{ id: 'other', script: 'true', locks: ['a.txt'] }], 'other.yml');
  await flame(repo, ['plan', '--new', '--from', plan, '--decisions-file', '.git/decisions.yml']);
  const elsewhere = await flame(repo, ['show', 'good']);
  assert.is(elsewhere.code, 1);
  assert.match(elsewhere.stderr, `git flame show good --session ${id}`);
  assert.match((await flame(repo, ['show', 'good', '--session', id])).stdout, /^good: Do good/);
  await flame(repo, ['log', id]);
});

test('the log is a history: by day, with why; of a task, an agent, a changeset or a session', async () => {
  const { repo, agent } = await aRun();
  const { lines } = await flameJson(repo, ['show', '--session', await firstSession(repo)]);
  const id = String(lines[0]?.id);
  const all = await flame(repo, ['log', id, '-n', '500']);
  assert.match(all.stdout, /^\d{4}-\d\d-\d\d UTC\n\d\d:\d\d:\d\d [0-9a-f]{10} \S/);
  const bad = await flame(repo, ['log', 'bad', '--session', id, '--reverse']);
  assert.match(bad.stdout, new RegExp(`pending -> claimed by ${agent}.*\n[\\s\\S]*claimed -> failed`));
  assert.is(/ good: /.test(bad.stdout), false);
  const agents = await flame(repo, ['log', agent, '--session', id]);
  assert.match(agents.stdout, new RegExp(`bad: pending -> claimed by ${agent}`));
  const set = await flame(repo, ['log', 'one', '--session', id]);
  assert.match(set.stdout, /changeset 1-one: built from good/);
  assert.is((await flame(repo, ['log', 'nobody', '--session', id])).code, 1);
  const few = await flame(repo, ['log', id, '-n', '2']);
  assert.match(few.stderr, /Earlier entries are not shown: -n \d+/);
});

testPty('at a terminal it goes through the pager of the person, with the colours git is told to use', async () => {
  const { repo } = await aRun();
  const shows = (command: string): string => {
    const env = { ...repo.env, PATH: `${programFolder}:${repo.env.PATH}`, TERM: 'xterm' };
    const sized = `stty cols 200; cd '${repo.path}'; ${command}`;
    return spawnSync('script', ['-qec', sized, '/dev/null'], { env, input: '', encoding: 'utf8' }).stdout;
  };
  const yellow = '\u001b[33m';
  const paged = shows(`git -c core.pager='sed s/^/P:/' flame log`);
  assert.match(paged, /^P:/);
  assert.ok(paged.includes(yellow), paged);
  assert.is(shows(`git --no-pager flame log`).startsWith('P:'), false);
  const never = shows(`git -c core.pager='sed s/^/P:/' -c color.ui=never flame log`);
  assert.match(never, /^P:/);
  assert.is(never.includes(yellow), false);
  // Here git itself has started the pager.
  const gits = shows(`git -p -c core.pager='sed s/^/P:/' flame log`);
  assert.match(gits, /^P:(?!P:)/);
  assert.ok(gits.includes(yellow), gits);
  assert.is(shows(`git -c core.pager='sed s/^/P:/' flame log --json`).startsWith('P:'), false);
});

async function firstSession(repo: TestRepo): Promise<string> {
  const found = await flame(repo, ['show', 'good']);
  return /--session (ses-\S+)/.exec(found.stderr)?.[1] ?? '';
}

test.run();
