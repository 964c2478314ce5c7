import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { roleScript, structuredAnswer } from '../support/model-roles.ts';
import { testIf } from '../support/skip.ts';

// Planners that give trouble, through `git flame plan` with the real client.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();

const badPlan = [
  plannedTask('task-001', { dependencies: ['task-002'] }),
  plannedTask('task-002', { dependencies: ['task-001', 'task-009'] }),
  plannedTask('task-003', { file_locks: ['docs/guide.md'] }),
  plannedTask('task-003', {}),
];

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-planner: needs Claude Code and a network namespace');
  test.after(closeProjects);

  live('PLN-4: what is wrong with an answer goes back once, then to the person, who has it planned anew', async () => {
    const conversations: string[] = [];
    const project = await openClaudeProject({
      config: { permissions: { allowed_paths: ['src/**'] } },
      script: (request) => {
        if (request.turn === 1) conversations.push(request.prompt);
        return roleScript({
          planner:
            [
              [{ text: 'I would start with the tests.' }, { text: 'As I said: with the tests.' }],
              [structuredAnswer({ tasks: badPlan })],
              [structuredAnswer({ tasks: [plannedTask('task-001', {})] })],
            ][conversations.length - 1] ?? [],
        })(request);
      },
    });
    const waiting = await project.flame('plan', 'Count');
    assert.is(waiting.code, 2, waiting.stderr);
    assert.is(conversations.length, 2);
    assert.not.match(conversations[0] ?? '', 'could not be used');
    assert.match(conversations[1] ?? '', 'could not be used');
    assert.match(conversations[1] ?? '', 'structured');
    const invalid = waiting.lines.filter(({ event }) => event === 'plan-invalid');
    assert.is(invalid.length, 2);
    const problems = `${invalid[1]?.problems}`;
    for (const word of ['task-001 -> task-002 -> task-001', 'task-009', 'docs/guide.md', 'task-003'])
      assert.match(problems, word);
    assert.match(waiting.stderr, /"message":"The plan, which has 4 mistakes, waits for a person/);

    const again = await project.flame('plan');
    assert.is(again.code, 2, again.stderr);
    assert.is(conversations.length, 2, 'no planner is paid twice');

    const approved = await project.flame(
      'plan',
      '--decisions-file',
      writeDecisions(project.repo, { plan: ['approve'] }),
    );
    assert.is(approved.code, 1, approved.stderr);
    assert.match(approved.stderr, 'task-009');

    const decisions = writeDecisions(project.repo, {
      plan: [{ replan: 'One task is enough.' }, 'approve'],
    });
    const replanned = await project.flame('plan', '--decisions-file', decisions);
    assert.is(replanned.code, 0, replanned.stderr);
    assert.is(conversations.length, 3);
    assert.match(conversations[2] ?? '', 'One task is enough.');
    const status = await project.flame('status');
    assert.equal(
      tasksOf(status).map(({ id, status: state }) => `${id} ${state}`),
      ['task-001 pending'],
    );
  });
}

test.run();

function plannedTask(id: string, changes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return {
    id,
    title: `Do ${id}`,
    description: `Write src/${id}.txt.`,
    priority: 1,
    file_locks: [`src/${id}.txt`],
    ...changes,
  };
}
