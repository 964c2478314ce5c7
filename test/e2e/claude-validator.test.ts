import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import type { ModelRequest } from '../support/model-request.ts';
import { roleOf, structuredAnswer, taskOf } from '../support/model-roles.ts';
import type { Reply } from '../support/model-server.ts';
import { testIf } from '../support/skip.ts';

// Validators that judge, fail, are forbidden things and give no verdict, through `git flame run` with the real
// client. Where the worker doesn't matter it is a script.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();

if (place !== 'outside') {
  const live = testIf(
    test,
    place === 'inside',
    'claude-validator: needs Claude Code and a network namespace',
  );
  test.after(closeProjects);

  live(
    'VAL-4, VAL-5: no verdict is asked for twice, then the person decides; a failed task is told why',
    async () => {
      const project = await openClaudeProject({
        config: {
          concurrency: { validation: 1 },
          validation: { validator_diagnostics: { commands: ['test -d src'] } },
        },
        script: (request) => {
          const task = taskOf(request) ?? '';
          if (roleOf(request) === 'worker') return work(conversationsOf('worker', task), request.turn);
          return validate(task, conversationsOf('validator', task), request.turn);
        },
      });
      const { requests } = project.model;
      const conversationsOf = (role: string, task: string): number =>
        requests.filter((other) => other.turn === 1 && roleOf(other) === role && taskOf(other) === task)
          .length;
      const script = (name: string): string => `echo ${name} > src/${name}.txt`;
      const plan = writePlan(project.repo, [
        { id: 'task-001', script: 'Write src/a.txt well.', locks: ['src/a.txt'], group: 'group-1' },
        { id: 'task-002', script: script('b'), locks: ['src/b.txt'], group: 'group-2', adapter: 'exec' },
        { id: 'task-003', script: script('c'), locks: ['src/c.txt'], group: 'group-3', adapter: 'exec' },
      ]);
      const decisions = writeDecisions(project.repo, {
        plan: ['approve'],
        // One validator after another: task-001, then 002, then 003.
        validator_failed: ['retry', 'manual', 'skip'],
        validation: [{ requeue: 'Use capital letters.' }],
        changesets: ['approve', 'approve'],
        session: ['continue', 'continue'],
      });
      const run = await project.flame('run', 'Three', '--from', plan, '--decisions-file', decisions);
      assert.is(run.code, 1, run.stderr);
      assert.equal(
        tasksOf(run).map(({ id, status }) => `${id} ${status}`),
        ['task-001 merged', 'task-002 merged', 'task-003 failed'],
      );
      assert.equal(
        run.lines.filter(({ event }) => event === 'gate').map(({ gate, decision }) => `${gate} ${decision}`),
        [
          'plan approve',
          'validator_failed retry',
          'validator_failed manual',
          'validator_failed skip',
          'validation requeue',
          'session continue',
        ],
      );
      assert.match(tasksOf(run)[2]?.reason ?? '', 'No validator could judge it');
      assert.is(project.repo.git('show', 'main:src/a.txt'), 'BETTER');

      const asked = (role: string): readonly ModelRequest[] =>
        requests.filter((request) => roleOf(request) === role && taskOf(request) === 'task-001');
      const second = asked('worker').filter(({ turn }) => turn === 1)[1]?.prompt ?? '';
      for (const words of ['Use capital letters.', 'It whispers.', 'src/a.txt:1 is in small letters'])
        assert.match(second, words);
      const tried = asked('validator').find(({ toolResults }) => toolResults.length === 3)?.toolResults ?? [];
      assert.equal(tried.map(({ tool, isError }) => `${tool} ${isError ? 'denied' : 'done'}`).sort(), [
        'Bash denied',
        'Bash done',
        'Write denied',
      ]);
    },
  );

  live(
    'VAL-2: a validator whose diagnostics leave more than they do by themselves has no verdict',
    async () => {
      // In both cases the diagnostic keeps a report; in the hands of an agent that of task-002 does more.
      const report = 'mkdir -p out && date > out/report && date > out/$$.log';
      const plant = '[ -z "$CLAUDECODE" ] || { touch planted.log; git update-index --chmod=+x README.md; }';
      const project = await openClaudeProject({
        config: { validation: { validator_diagnostics: { commands: ['sh src/check.sh'] } } },
        script: ({ turn }) =>
          turn === 1
            ? { tools: [{ tool: 'Bash', input: { command: 'sh src/check.sh', description: 'check' } }] }
            : structuredAnswer({ status: 'pass', notes: 'Fine.', issues: [] }),
      });
      project.repo.write('.gitignore', 'out/\n*.log\n');
      project.repo.git('add', '.gitignore');
      project.repo.git('commit', '-qm', 'chore: ignore');
      const check = (id: string, text: string, group: string): Parameters<typeof writePlan>[1][number] => ({
        ...{ id, script: `cat > src/check.sh <<'END'\n${text}\nEND`, locks: ['src/check.sh'] },
        ...{ group, adapter: 'exec' },
      });
      const plan = writePlan(project.repo, [
        check('task-001', report, 'group-1'),
        check('task-002', `${report}\n${plant}`, 'group-2'),
      ]);
      const decisions = writeDecisions(project.repo, {
        plan: ['approve'],
        validator_failed: ['skip', 'skip', 'skip', 'skip'],
        changesets: ['approve', 'approve'],
        session: ['continue', 'continue', 'continue'],
      });
      const run = await project.flame('run', 'Two', '--from', plan, '--decisions-file', decisions);
      const reasons = tasksOf(run).map(({ id, status, reason }) => `${id} ${status} ${reason ?? ''}`);
      assert.match(reasons[0] ?? '', /^task-001 merged/, run.stderr);
      assert.match(reasons[1] ?? '', /^task-002 failed/);
      assert.match(run.stdout, /changed what it was to judge: \.git\/index, planted\.log/);
    },
  );
}

test.run();

function work(attempt: number, turn: number): Reply {
  const steps: readonly Reply[] = [
    { tool: 'Read', input: { file_path: 'src/a.txt' } },
    { tool: 'Write', input: { file_path: 'src/a.txt', content: attempt === 1 ? 'better\n' : 'BETTER\n' } },
    { tool: 'Bash', input: { command: 'git commit -a -m "better"', description: 'commit' } },
  ];
  return steps[turn - 1] ?? { text: 'It is committed.' };
}

function validate(task: string, attempt: number, turn: number): Reply {
  if (task !== 'task-001') return { text: 'It looks good to me.' };
  switch (attempt) {
    case 1:
      return { text: 'It looks good to me.' };
    case 2:
      // Of the form the client checks, not of the form that was agreed.
      return structuredAnswer({ status: 'pass', notes: 'x'.repeat(20_001), issues: [] });
    case 3:
      return turn === 1
        ? {
            tools: [
              { tool: 'Write', input: { file_path: 'src/a.txt', content: 'mine\n' } },
              { tool: 'Bash', input: { command: 'echo mine > src/a.txt', description: 'write' } },
              { tool: 'Bash', input: { command: 'test -d src', description: 'check' } },
            ],
          }
        : structuredAnswer({
            status: 'fail',
            notes: 'It whispers.',
            issues: ['src/a.txt:1 is in small letters'],
          });
    default:
      return structuredAnswer({ status: 'pass', notes: 'Loud enough.', issues: [] });
  }
}
