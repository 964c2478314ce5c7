import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderTextToHash } from '../../lib/core/changesets/build-evidence.ts';
import type { Verdict } from '../../lib/domain/state/verdict.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';

const config = {
  validation: { validator_diagnostics: { enabled: true, commands: ['test -s src/one.txt', 'echo $$'] } },
};
const script = 'mkdir -p src && echo one > src/one.txt';

/** A project whose only task was worked on and judged; the changeset waits. */
async function judged(): Promise<{ readonly repo: TestRepo; readonly verdict: Verdict }> {
  const repo = makeExecProject({ config });
  const plan = writePlan(repo, [{ id: 'task-001', script, locks: ['src/'] }]);
  const run = await flame(repo, [
    ...['run', 'One', '--from', plan],
    ...['--decisions-file', writeDecisions(repo, { plan: ['approve'] })],
  ]);
  assert.is(run.code, 2, run.stderr);
  return { repo, verdict: await verdictIn(repo) };
}

async function verdictIn(repo: TestRepo): Promise<Verdict> {
  const shown = await flameJson(repo, ['show', 'task-001']);
  const [verdict] = (shown.lines[0]?.verdicts ?? []) as readonly Verdict[];
  if (verdict === undefined) throw new Error(shown.stdout);
  return verdict;
}

test('WFL-2: a verdict comes with its evidence: files, checks, exit codes, hashes of outputs', async () => {
  const { repo, verdict } = await judged();
  const { evidence } = verdict;
  if (evidence === undefined) throw new Error('no evidence');
  assert.equal(evidence.files, [
    {
      path: 'src/one.txt',
      mode: '100644',
      blob: repo.git('rev-parse', `${verdict.commit}:src/one.txt`),
    },
  ]);
  assert.is(evidence.tree, repo.git('rev-parse', `${verdict.commit}^{tree}`));
  assert.equal(
    evidence.commands.map(({ command, exit_code }) => [command, exit_code]),
    [
      ['test -s src/one.txt', 0],
      ['echo $$', 0],
    ],
  );
  assert.equal(evidence.results, { passed: 2, failed: 0 });
  const empty = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  assert.is(evidence.commands[0]?.output_hash, empty);
  assert.is.not(evidence.commands[1]?.output_hash, empty);
});

test('WFL-2: the same work done again by another agent, at another time, has the same verification hash', async () => {
  const [first, second] = [await judged(), await judged()];
  assert.is.not(first.verdict.at, second.verdict.at);
  assert.is(first.verdict.evidence?.verification_hash, second.verdict.evidence?.verification_hash);
});

test('WFL-2: what was judged can be checked again; the same comes out, before and after it landed', async () => {
  const { repo, verdict } = await judged();
  const again = await flameJson(repo, ['validate', '--verify']);
  assert.is(again.code, 0, again.stdout + again.stderr);
  const event = again.lines.find((line) => line.event === 'evidence-verified');
  assert.is(event?.found, verdict.evidence?.verification_hash);
  assert.equal(event?.differences, []);
  const approved = await flame(repo, ['review', '--approve']);
  assert.is(approved.code, 0, approved.stderr);
  const landed = await flame(repo, ['validate', '--verify', 'task-001']);
  assert.is(landed.code, 0, landed.stderr);
  assert.match(landed.stderr, /task-001 at [0-9a-f]{7,12}: the evidence matches, sha256:/);
  const shown = await flameJson(repo, ['show', 'task-001']);
  assert.is(((shown.lines[0]?.verifications ?? []) as readonly unknown[]).length, 2);
  assert.equal(shown.lines[0]?.doubts, []);
  assert.match(
    repo.git('log', '-1', '--format=%s', 'refs/blueflame/validations'),
    /^task-001: evidence confirmed by Lea Lead <lea@example.com>$/,
  );
});

test('WFL-2: what comes out otherwise is flagged for a look by hand, and rejects nothing', async () => {
  // A check whose answer is not in the commit.
  const check = 'test -e prepared';
  const repo = makeExecProject({
    config: {
      project: { name: 'sample', base_branch: 'main', copy: ['prepared'] },
      validation: { validator_diagnostics: { enabled: true, commands: [check] } },
    },
  });
  repo.write('.git/info/exclude', 'prepared\n');
  repo.write('prepared', '');
  const plan = writePlan(repo, [{ id: 'task-001', script, locks: ['src/'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['run', 'One', '--from', plan, '--decisions-file', decisions])).code, 2);
  rmSync(join(repo.path, 'prepared'));
  const again = await flameJson(repo, ['validate', '--verify', 'task-001']);
  assert.is(again.code, 1, again.stdout + again.stderr);
  const reason = `${check} ended with 1, before it ended with 0`;
  assert.equal(again.lines.find((line) => line.event === 'evidence-verified')?.differences, [
    reason,
    '0 passed and 1 failed, before 1 and 0',
  ]);
  const shown = await flame(repo, ['show', 'task-001']);
  assert.match(shown.stdout, /task-001 needs a manual check/);
  const review = await flameJson(repo, ['review', '--approve']);
  assert.is(review.code, 0, review.stdout);
  const flag = review.lines.find((line) => line.event === 'manual-review');
  assert.is(flag?.task, 'task-001');
  assert.ok(`${flag?.reasons}`.includes(reason));
  assert.is(repo.git('show', 'main:src/one.txt'), 'one', 'a person decided, and it landed');
});

test('what has no evidence yet cannot be verified, and a task alone is not validated', async () => {
  const repo = makeExecProject({ config });
  const plan = writePlan(repo, [{ id: 'task-001', script, locks: ['src/'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  await flame(repo, ['plan', 'One', '--from', plan, '--decisions-file', decisions]);
  for (const argv of [
    ['validate', '--verify'],
    ['validate', '--verify', 'task-001'],
  ]) {
    const run = await flame(repo, argv);
    assert.is(run.code, 1);
    assert.match(run.stderr, /has (?:no|a) verdict with evidence/);
  }
  assert.match((await flame(repo, ['validate', '--verify', 'task-009'])).stderr, /no task "task-009"/);
  assert.is((await flame(repo, ['validate', 'task-001'])).code, 129);
});

testIf(
  test,
  spawnSync('jq', ['--version']).status === 0,
  'jq is not here',
)('WFL-2: the commands of REFS.md compute the verification hash without git-flame', async () => {
  const { repo, verdict } = await judged();
  const page = readFileSync('REFS.md', 'utf8');
  const block = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, text = '']) => text)
    .find((text) => text.includes('jq '));
  const output = execFileSync('sh', ['-euc', block ?? 'false'], {
    cwd: repo.path,
    env: { ...repo.env, commit: verdict.commit },
    encoding: 'utf8',
  });
  assert.is(`sha256:${output.split(' ')[0]}`, verdict.evidence?.verification_hash);
  assert.ok(verdict.evidence !== undefined && renderTextToHash(verdict.evidence).includes('src/one.txt'));
});

test.run();
