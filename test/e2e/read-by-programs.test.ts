import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flameJson } from '../support/flame.ts';

// What --json prints, where stories show what people read.

test('a run tells a failed verdict and how each task ended; claims come one a line, with the reason', async () => {
  const repo = makeExecProject({
    config: {
      concurrency: { development: 1, validation: 1 },
      validation: { validator_diagnostics: { commands: ['test ! -e src/bad.txt'] } },
    },
  });
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'echo bad > src/bad.txt', locks: ['src/bad.txt'] },
    { id: 'task-002', script: 'echo good > src/good.txt', locks: ['src/good.txt'] },
  ]);
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    validation: ['drop'],
    changesets: ['approve'],
  });
  const run = await flameJson(repo, ['run', 'Bad', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  const verdicts = run.lines.filter(({ event }) => event === 'verdict');
  assert.equal(
    verdicts.map(({ task, status }) => [task, status]),
    [
      ['task-001', 'fail'],
      ['task-002', 'pass'],
    ],
  );
  const end = run.lines.at(-1);
  assert.is(end?.event, 'session-ended');
  assert.match(JSON.stringify(end), /"task-001"[^}]*"dropped".*"task-002"[^}]*"merged"/);

  const status = await flameJson(repo, ['status']);
  assert.match(JSON.stringify(status.lines[0]?.tasks), /"task-001"[^}]*"dropped".*"task-002"[^}]*"merged"/);
  const claims = await flameJson(repo, ['task', 'claim', '--stdin'], { stdin: 'task-002\ntask-009' });
  assert.equal(
    claims.lines.map((line) => [line.id, line.claimed, Object.keys(line)]),
    ['task-002', 'task-009'].map((id) => [id, false, ['id', 'claimed', 'reason']]),
  );
});

test.run();
