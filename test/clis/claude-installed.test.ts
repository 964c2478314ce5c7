import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { testIf } from '../support/skip.ts';

// The real client where its own installer puts it: a link in PATH, below a home that no cell shows.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-installed: needs Claude Code and a network namespace');
  test.after(closeProjects);

  live('PLN-1 claude of its own installer is found, proven and works', async () => {
    const project = await openClaudeProject({
      isInstalled: true,
      config: { roles: { validator: { adapter: 'none' } } },
      script: ({ turn }) =>
        turn === 1
          ? { tool: 'Write', input: { file_path: 'src/one.txt', content: 'one\n' } }
          : { text: 'It is written.' },
    });
    const doctor = await project.flame('doctor');
    assert.is(doctor.code, 0, doctor.stdout + doctor.stderr);
    const plan = writePlan(project.repo, [{ id: 'task-001', script: 'Write it.', locks: ['src/one.txt'] }]);
    const decisions = writeDecisions(project.repo, { plan: ['approve'], changesets: ['approve'] });
    const run = await project.flame('run', 'One', '--from', plan, '--decisions-file', decisions);
    assert.is(run.code, 0, run.stderr);
    assert.equal(
      tasksOf(run).map(({ status }) => status),
      ['merged'],
    );
    assert.is(project.repo.git('show', 'main:src/one.txt'), 'one');
    assert.ok(run.lines.some(({ event, result }) => event === 'canary' && result === 'denied'));
  });
}

test.run();
