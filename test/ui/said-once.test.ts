import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId, parseRefName } from '../../lib/domain/ids.ts';
import { buildStatusView } from '../../lib/domain/view-models/status-view.ts';
import { renderEvent } from '../../lib/ui/render/render-event.ts';
import { renderInit } from '../../lib/ui/render/render-init.ts';
import { renderLog } from '../../lib/ui/render/render-log.ts';
import { renderStatus } from '../../lib/ui/render/render-status.ts';
import { renderVerdict } from '../../lib/ui/render/render-verdict.ts';
import { at, commitA, plainStyle, redRun, samplePlan, sampleSession, sampleVerdict } from './samples.ts';

// One sentence is said once, and what is said fits.

test('the log tells a verdict and a landing once, and people without their addresses', () => {
  const of = (ref: string, subject: string) => ({
    ...{ commit: parseObjectId(commitA), at, author: 'Lea Lead <lea@example.com>' },
    ref: parseRefName(ref),
    subject,
    body: '',
    trailers: { Task: 'task-001' },
  });
  const lines = renderLog(
    [
      of('refs/blueflame/tasks', 'task-001: judged pass by diagnostics'),
      of('refs/blueflame/validations', 'task-001: pass by diagnostics'),
      of('refs/blueflame/reviews', 'changeset 1-main: approved by Lea Lead <lea@example.com>'),
      of('refs/blueflame/sessions', 'changeset 1-main: landed on main as aaaaaaaaaa'),
    ],
    plainStyle(),
  ).split('\n');
  assert.equal(
    lines.slice(1).map((line) => line.slice(20)),
    ['task-001: judged pass by diagnostics (Lea Lead)', 'changeset 1-main: landed on main as aaaaaaaaaa (Lea Lead)'],
  );
  const alone = renderLog([of('refs/blueflame/reviews', 'approved by Lea Lead <lea@example.com>')], plainStyle());
  assert.match(alone, / approved by Lea Lead$/);
});

test('the output of a check that failed is shown once, with the lines that tell of it', () => {
  const output = ['ok 1', ...Array(40).fill('ok'), 'not ok 42 - dashes', ...Array(40).fill('ok')].join('\n');
  const run = { ...redRun, command: 'npm test', exit_code: 1, output };
  const issues = [`npm test ended with 1:\n${output}`];
  const verdict = { ...sampleVerdict(), status: 'fail' as const, notes: '', issues, diagnostics: [run] };
  const shown = renderVerdict(verdict, plainStyle()).join('\n');
  assert.is(shown.split('not ok 42').length, 2, shown);
  assert.is(shown.split('npm test ended with 1').length, 2, shown);
});

test('what a script printed in failing is told by the line that says why', () => {
  const failure = {
    kind: 'agent-error' as const,
    message: 'The script ended with exit code 1.',
    details: ['Traceback (most recent call last):', '  File "<string>", line 1', 'ImportError: no x'],
    retryable: false,
  };
  const event = { event: 'task-failed', at, task: 'task-001', failure, will_retry: false } as const;
  assert.is(
    renderEvent(event, plainStyle()),
    'task-001 failed: agent-error: The script ended with exit code 1. (ImportError: no x; 2 more: git flame show task-001)',
  );
});

test('an agent that ended well is said to have ended, once', () => {
  const event = {
    event: 'agent-ended' as const,
    ...{ at, agent: 'worker-1a2b3c4d', role: 'worker' as const, task: 'task-001', outcome: 'ended' },
    ...{ cost_usd: 0, tokens: 0, duration_ms: 245 },
  };
  assert.is(renderEvent(event, plainStyle()), 'worker-1a2b3c4d ended on task-001 after 245 ms ($0.00)');
});

test('a long line of init is named by its beginning, so that the others stay narrow', () => {
  const written = [
    '.blueflame.yml',
    'hooks/pre-commit: first runs the earlier hook, now hooks/pre-commit.before-git-flame',
    'config: core.hooksPath = /home/lea/work/shop/.git/blueflame-init/hooks (was .husky/_; the hooks there still run first)',
  ];
  const lines = renderInit(written, false, plainStyle(80)).split('\n');
  assert.ok(
    lines.some((line) => /^ {2}\.blueflame\.yml {2,}what agents may change/.test(line)),
    lines.join('\n'),
  );
  assert.ok(
    lines.every((line) => line.length <= 80),
    lines.join('\n'),
  );
  assert.match(lines.join('\n'), /^ {2}config: core\.hooksPath {2}\/home\/lea/m);
});

test('a plan that waits is not called no tasks', () => {
  const waiting = sampleSession({ proposal: [...samplePlan.tasks] });
  const text = renderStatus(buildStatusView(waiting, [], []), plainStyle(), {
    now: new Date(at),
    next: null,
  });
  assert.match(text, /the plan: \d tasks to approve/);
  assert.is(/no tasks/.test(text), false, text);
});

test('a cycle has one number, from its plan to its end', () => {
  const factsOf = (wave: 'plan' | 'work', cycle: number): string =>
    renderStatus(buildStatusView(sampleSession({ wave, cycle, changesets: [] }), [], []), plainStyle(), {
      now: new Date(at),
      next: null,
    });
  assert.match(factsOf('plan', 0), 'cycle 1 · wave plan');
  assert.match(factsOf('work', 1), 'cycle 1 · wave work');
  assert.match(factsOf('plan', 1), 'cycle 2 · wave plan');
});

test.run();
