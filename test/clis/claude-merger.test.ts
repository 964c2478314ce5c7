import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { roleScript, structuredAnswer } from '../support/model-roles.ts';
import type { Reply } from '../support/model-server.ts';
import { provesRole } from '../support/proven-table.ts';
import { testIf } from '../support/skip.ts';

// Conflicts between finished tasks, given to the real client. The workers are scripts: what they conflict in is
// all that matters here.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-merger: needs Claude Code and a network namespace');
  test.after(closeProjects);

  live('MRG-1, MRG-2: a conflict is solved, or reported and requeued, never guessed', async () => {
    const project = await openClaudeProject({
      config: {
        roles: { worker: { adapter: 'exec' }, validator: { adapter: 'none' }, merger: { adapter: 'claude' } },
        // Overlapping locks would keep the tasks from running beside each other.
        validation: { file_scope: { enforce: false } },
      },
      script: roleScript({
        merger: ({ prompt }) => {
          if (prompt.includes('task-2')) return mergers.solves;
          if (prompt.includes('task-4')) return mergers.givesUp;
          return prompt.includes('task-6') ? mergers.leavesMarks : mergers.saysNothing;
        },
      }),
    });
    project.repo.write('b.txt', 'b\n');
    project.repo.write('c.txt', 'c\n');
    project.repo.write('d.txt', 'd\n');
    project.repo.commit('more files');
    const plan = writePlan(project.repo, [
      ...conflicting(['task-1', 'task-2'], 'src/a.txt', 'solved'),
      ...conflicting(['task-3', 'task-4'], 'b.txt', 'unsolved'),
      ...conflicting(['task-5', 'task-6'], 'c.txt', 'unclean'),
      ...conflicting(['task-7', 'task-8'], 'd.txt', 'unsaid'),
    ]);
    const decisions = writeDecisions(project.repo, {
      plan: ['approve'],
      changesets: [{ solved: 'approve', unsolved: 'approve', unclean: 'approve', unsaid: 'approve' }],
      session: ['stop'],
    });
    const run = await project.flame('run', 'Conflicts', '--from', plan, '--decisions-file', decisions);
    assert.is(run.code, 0, run.stderr + run.stdout);
    assert.equal(
      tasksOf(run).map(({ status }) => status),
      ['merged', 'merged', 'merged', 'requeued', 'merged', 'requeued', 'merged', 'merged'],
    );

    const { repo, model } = project;
    assert.is(repo.git('show', 'main:src/a.txt'), 'task-1 and task-2');
    assert.is(repo.git('show', 'main:b.txt'), 'task-3');
    assert.is(repo.git('show', 'main:c.txt'), 'task-5');
    // Words instead of an answer: the commit decides, and it holds no markers.
    assert.is(repo.git('show', 'main:d.txt'), 'task-8');
    assert.throws(() => repo.git('show', 'main:src/elsewhere.txt'));
    const [, , , fourth, , sixth] = tasksOf(run);
    for (const words of ['Both want the whole file.', 'b.txt']) assert.match(told(fourth), words);
    for (const words of ['conflict markers', 'c.txt']) assert.match(told(sixth), words);

    const solving = model.requests.filter(({ prompt }) => prompt.includes('task-2'));
    assert.match(solving[0]?.prompt ?? '', 'echo task-2 > src/a.txt');
    assert.match(solving[1]?.toolResults[0]?.text ?? '', '<<<<<<<');
    const denied = solving.at(-1)?.toolResults.filter(({ isError }) => isError) ?? [];
    assert.equal(
      denied.map(({ text }) => text.trim().split(' ').at(-1)),
      ['[path-out-of-scope]'],
    );
    assert.is(repo.git('fsck', '--strict', '--no-dangling'), '');
    assert.is(repo.git('worktree', 'list').split('\n').length, 1, repo.git('worktree', 'list') + run.stdout);
    provesRole('claude', 'merger');
  });
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-merger: needs Claude Code and a network namespace');

  live('MRG-2: a conflict without markers is solved by what was done, not by what was said', async () => {
    const project = await openClaudeProject({
      config: {
        roles: { worker: { adapter: 'exec' }, validator: { adapter: 'none' }, merger: { adapter: 'claude' } },
        validation: { file_scope: { enforce: false } },
      },
      script: roleScript({
        merger: ({ prompt }) => (prompt.includes('task-2') ? mergers.onlySaysSo : mergers.keepsOnPurpose),
      }),
    });
    project.repo.write('b.txt', 'b\n');
    project.repo.write('c.txt', 'c\n');
    project.repo.commit('more files');
    const pair = (ids: readonly [string, string], path: string, group: string): ReturnType<typeof conflicting> => [
      { id: ids[0], script: `echo more >> ${path}`, locks: [`locks/${ids[0]}`], group },
      { id: ids[1], script: `rm ${path}; echo x > ${ids[1]}.txt`, locks: [`locks/${ids[1]}`], group },
    ];
    const plan = writePlan(project.repo, [
      ...pair(['task-1', 'task-2'], 'b.txt', 'said'),
      ...pair(['task-3', 'task-4'], 'c.txt', 'done'),
    ]);
    const decisions = writeDecisions(project.repo, {
      plan: ['approve'],
      changesets: [{ said: 'approve', done: 'approve' }],
      session: ['stop'],
    });
    const run = await project.flame('run', 'Conflicts', '--from', plan, '--decisions-file', decisions);
    const [, second, , fourth] = tasksOf(run);
    assert.equal([second?.status, fourth?.status], ['requeued', 'merged'], run.stderr + run.stdout);
    assert.match(told(second), 'neither changed nor committed b.txt');
    assert.is(project.repo.git('show', 'main:c.txt'), 'c\nmore');
    // In no lock, and brought by the merge: the hook of the merger's git lets it through.
    assert.is(project.repo.git('show', 'main:task-4.txt'), 'x');
  });
}

test.run();

function bash(command: string): Reply {
  return { tool: 'Bash', input: { command, description: 'as it says' } };
}

const mergers = {
  solves: [
    { tool: 'Read', input: { file_path: 'src/a.txt' } },
    {
      tools: [
        { tool: 'Write', input: { file_path: 'src/elsewhere.txt', content: 'x\n' } },
        { tool: 'Write', input: { file_path: 'src/a.txt', content: 'task-1 and task-2\n' } },
      ],
    },
    bash('git add src/a.txt'),
    bash('git commit -m "Merge both"'),
    structuredAnswer({ status: 'resolved', notes: 'Both stand.' }),
  ],
  givesUp: [structuredAnswer({ status: 'unresolvable', notes: 'Both want the whole file.' })],
  leavesMarks: [
    bash('git add c.txt'),
    bash('git commit -m "Merge both"'),
    structuredAnswer({ status: 'resolved', notes: 'Done.' }),
  ],
  onlySaysSo: [structuredAnswer({ status: 'resolved', notes: 'The file stays.' })],
  keepsOnPurpose: [
    bash('git add c.txt'),
    bash('git commit -m "Keep the file"'),
    structuredAnswer({ status: 'resolved', notes: 'The file stays.' }),
  ],
  saysNothing: [
    { tool: 'Read', input: { file_path: 'd.txt' } },
    { tool: 'Write', input: { file_path: 'd.txt', content: 'task-8\n' } },
    bash('git add d.txt'),
    bash('git commit -m "Take one"'),
    { text: 'I took one of them.' },
  ],
} satisfies Record<string, readonly Reply[]>;

/** Two tasks that write different text into one file, each with a lock elsewhere. */
function conflicting(
  ids: readonly [string, string],
  path: string,
  group: string,
): Parameters<typeof writePlan>[1][number][] {
  return ids.map((id) => ({ id, script: `echo ${id} > ${path}`, locks: [`locks/${id}`], group }));
}

function told(task: ReturnType<typeof tasksOf>[number] | undefined): string {
  return task?.history.at(-1)?.notes ?? '';
}
