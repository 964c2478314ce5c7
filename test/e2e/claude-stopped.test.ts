import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, openClaudeProject, processesAbout, tasksOf } from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import type { Reply } from '../support/model-server.ts';
import { testIf } from '../support/skip.ts';

// A run that is stopped, or killed, while the real client works, and goes on.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-stopped: needs Claude Code and a network namespace');
  test.after(closeProjects);

  live('LIF-3, LIF-4: ended by Ctrl-C, then by SIGKILL, in mid-work; the third run lands it', async () => {
    let conversations = 0;
    let onAsked: () => void = () => undefined;
    const asked = (): Promise<void> =>
      new Promise((resolve) => {
        onAsked = resolve;
      });
    const project = await openClaudeProject({
      config: { roles: { validator: { adapter: 'none' } } },
      script: ({ turn }): Reply => {
        if (turn === 1) conversations += 1;
        if (conversations <= 2 && turn === 2) {
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
    while (!isSpendingKnown(repo.path)) await pause(20);
    second.signal('SIGKILL');
    await second.ended;
    // Nobody is left to wait for the agent's end: the kernel sees to it.
    while (processesAbout(root).length > 0) await pause(20);

    const done = await project.flame(
      'run',
      '--decisions-file',
      writeDecisions(repo, { changesets: ['approve'] }),
    );
    assert.is(done.code, 0, done.stderr);
    // BUD-3: those of the agent that was killed too. Two requests were never answered: what the one that was cut off may
    // have used up counts; of the other nobody was left to know.
    const session = done.lines.at(-1)?.session as { tokens: number; cost_usd: number };
    const answered = 110 * (project.model.requests.length - 2);
    assert.ok(session.tokens > answered + 50 && session.tokens < answered + 10_000, `${session.tokens}`);
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

/** Whether what the running agent has spent is written down; that is done once a second. */
function isSpendingKnown(path: string): boolean {
  const runs = join(path, '.git/blueflame/run');
  return readdirSync(runs).some((name) => {
    const file = join(runs, name, 'agent.json');
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).tokens > 0;
  });
}

const steps: readonly Reply[] = [
  { tool: 'Write', input: { file_path: 'src/new.txt', content: 'new\n' } },
  { tool: 'Bash', input: { command: 'git add src/new.txt && git commit -m new', description: 'commit' } },
];
