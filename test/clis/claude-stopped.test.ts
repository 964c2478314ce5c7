import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, openClaudeProject, processesAbout, tasksOf } from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import type { Reply } from '../support/model-server.ts';
import { testIf } from '../support/skip.ts';
import { until } from '../support/until.ts';

// A run that is stopped, or killed, while the real client works, and goes on.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-stopped: needs Claude Code and a network namespace');
  test.after(closeProjects);

  live('LIF-3, LIF-4: ended by Ctrl-C, then by SIGKILL, in mid-work; the third run lands it', async () => {
    let conversations = 0;
    let most = 0;
    let onAsked: () => void = () => undefined;
    const asked = (): Promise<void> =>
      new Promise((resolve) => {
        onAsked = resolve;
      });
    const project = await openClaudeProject({
      config: { roles: { validator: { adapter: 'none' } } },
      script: ({ turn, body }): Reply => {
        if (turn === 1) conversations += 1;
        if (conversations <= 2 && turn === 2) {
          most = (body as { readonly max_tokens: number }).max_tokens;
          onAsked();
          return { hang: true };
        }
        return steps[turn - 1] ?? { text: 'It is committed.' };
      },
    });
    const { repo, root } = project;
    const plan = writePlan(repo, [{ id: 'task-001', script: 'Write it.', locks: ['src/new.txt'] }]);
    const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });

    const waiting = asked();
    const first = project.begin('run', 'One', '--from', plan, '--decisions-file', decisions);
    await waiting;
    first.signal('SIGINT');
    const stopped = await first.ended;
    assert.is(stopped.code, 130, stopped.stderr);
    assert.equal(processesAbout(root), []);
    assert.equal(
      tasksOf(await project.flame('status')).map(({ status }) => status),
      ['pending'],
    );

    const waitingAgain = asked();
    const second = project.begin('run', '--decisions-file', decisions);
    await waitingAgain;
    assert.ok(processesAbout(root).some((line) => line.includes('--print')));
    second.signal('SIGKILL');
    await second.ended;
    // Nobody is left to wait for the agent's end: the kernel sees to it.
    await until('the agent is gone', () => processesAbout(root).length === 0);

    const done = await project.flame('run', '--decisions-file', writeDecisions(repo, { changesets: ['approve'] }));
    assert.is(done.code, 0, done.stderr);
    // BUD-3: those of the agents that were ended too. Of their two requests that were never answered, the one that was cut
    // off counts as what it may have used up, the one that was killed as all it was granted.
    const session = done.lines.at(-1)?.session as { tokens: number; cost_usd: number };
    const answered = 110 * (project.model.requests.length - 2);
    assert.ok(session.tokens > answered + most && session.tokens < answered + most + 50_000, `${session.tokens}`);
    assert.ok(session.cost_usd > 0);
    assert.equal(
      tasksOf(done).map(({ status }) => status),
      ['merged'],
    );
    assert.is(repo.git('show', 'main:src/new.txt'), 'new');
    assert.is(repo.git('fsck', '--strict', '--no-dangling'), '');
    assert.equal(readdirSync(join(root, 'tmp')), []);
    assert.equal(readdirSync(join(repo.path, '.git/blueflame/run')), []);
  });
}

test.run();

const steps: readonly Reply[] = [
  { tool: 'Write', input: { file_path: 'src/new.txt', content: 'new\n' } },
  { tool: 'Bash', input: { command: 'git add src/new.txt && git commit -m new', description: 'commit' } },
];
