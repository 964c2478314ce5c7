import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { boardAddress, visitBoard } from '../support/board.ts';
import { type ClaudeProject, closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { parseTrial, trialCommand, tryCli } from '../support/cli-trial.ts';
import { needsCli } from '../support/clis.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { answerGate, nextGate } from '../support/gates.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import type { Reply } from '../support/model-server.ts';
import { programEnd, programFolder, runProgram } from '../support/program.ts';
import { testIf } from '../support/skip.ts';

// What an agent asks the person while it works: with the real CLIs, each asked by the tool of its own.

const place = enterNetworkNamespace();

const options = [
  { label: 'Postgres', description: 'a server' },
  { label: 'SQLite', description: 'a file' },
];
const questions = [{ question: 'Which database?', header: 'DB', multiSelect: false, options }];
const ask: Reply = { tool: 'AskUserQuestion', input: { questions } };
const write: Reply = { tool: 'Write', input: { file_path: 'src/db.txt', content: 'chosen\n' } };
const commit: Reply = {
  tool: 'Bash',
  input: { command: "git add src/db.txt && git commit -q -m 'a choice'", description: 'commit' },
};

interface Asking {
  readonly project: ClaudeProject;
  /** The last text its model read, of each request. */
  readonly read: string[];
}

async function openAsking(limits: Readonly<Record<string, unknown>> = {}): Promise<Asking> {
  const read: string[] = [];
  const steps = [ask, write, commit];
  const project = await openClaudeProject({
    config: { roles: { validator: { adapter: 'none' } }, limits: { max_retries: 0, ...limits } },
    script: (request) => {
      read.push(JSON.stringify(request.body));
      return steps[read.length - 1] ?? { text: 'It is done.' };
    },
  });
  return { project, read };
}

const plan = [{ id: 'task-001', script: 'Write it.', locks: ['src/db.txt'] }];

function startRun({ repo, env }: ClaudeProject): ChildProcess {
  const argv = ['run', 'Choose', '--from', writePlan(repo, plan), '--web', '--no-open'];
  return spawn(join(programFolder, 'git-flame'), argv, {
    ...{ cwd: repo.path, env, stdio: ['ignore', 'pipe', 'pipe'] },
  });
}

if (place !== 'outside') {
  const live = testIf(
    test,
    place === 'inside' && findClaude() !== null,
    'agent-questions: needs Claude Code and a network namespace',
  );
  test.after(closeProjects);

  live('DSK-6 what an agent asks is a gate: another terminal answers, and its model reads the answer', async () => {
    const { project, read } = await openAsking({ agent_timeout: '20s' });
    const { repo, env } = project;
    const child = startRun(project);
    const ended = programEnd(child);
    const board = visitBoard(await boardAddress(child));
    await answerGate(board, await nextGate(board, 'plan'), { kind: 'approve' });
    const gate = await nextGate(board, 'question');
    assert.is(gate.asks.gate === 'question' && gate.asks.task, 'task-001');
    assert.match(gate.asks.gate === 'question' ? gate.asks.agent : '', /^worker-/);
    assert.match(await answerGate(board, gate, { kind: 'answer', answers: [] }), '1 answers are needed');
    const listed = await runProgram(repo, ['answer'], { env });
    assert.match(listed.stdout, '2 SQLite: a file');
    const answered = await runProgram(repo, ['answer', gate.id, 'answer', '2'], { env });
    assert.is(answered.code, 0, answered.stderr);
    await answerGate(board, await nextGate(board, 'changesets'), { kind: 'approve' });
    const { code, stderr } = await ended;
    assert.is(code, 0, stderr);
    assert.match(stderr, /worker-\w+ on task-001 asks: Which database\?/);
    assert.match(stderr, /worker-\w+ on task-001 was answered: SQLite/);
    assert.match(read[1] ?? '', '\\"Which database?\\"=\\"SQLite\\"');
    assert.is(repo.git('show', 'main:src/db.txt'), 'chosen');
    const log = await runProgram(repo, ['log'], { env });
    assert.match(log.stdout, 'was answered');
  });

  live('DSK-6 after its time, and where nobody can be asked, an agent is told to go on by itself', async () => {
    const { project, read } = await openAsking({ question_timeout: '1s' });
    const child = startRun(project);
    const ended = programEnd(child);
    const board = visitBoard(await boardAddress(child));
    await answerGate(board, await nextGate(board, 'plan'), { kind: 'approve' });
    const gate = await nextGate(board, 'question');
    await answerGate(board, await nextGate(board, 'changesets'), { kind: 'approve' });
    assert.match(
      await answerGate(board, gate, { kind: 'proceed' }),
      /the question expired after 1.0 s, and the agent continued without an answer|run .* ended/,
    );
    const { stderr } = await ended;
    assert.match(stderr, 'continues without an answer: No answer came within 1.0 s.');
    assert.match(read[1] ?? '', 'Continue with your best judgement');

    const alone = await openAsking();
    const decisions = writeDecisions(alone.project.repo, { plan: ['approve'], changesets: ['approve'] });
    const from = writePlan(alone.project.repo, plan);
    const run = await alone.project.flame('run', 'Choose', '--from', from, '--decisions-file', decisions);
    assert.is(tasksOf(run)[0]?.status, 'merged', run.stderr);
    assert.match(alone.read[1] ?? '', 'No person can answer now.');
  });

  live('DSK-6 a kill while it asks: the question is asked no more, and the next start says so', async () => {
    const { project } = await openAsking();
    const { repo, env } = project;
    const child = startRun(project);
    const board = visitBoard(await boardAddress(child));
    await answerGate(board, await nextGate(board, 'plan'), { kind: 'approve' });
    const gate = await nextGate(board, 'question');
    child.kill('SIGKILL');
    await once(child, 'close');
    const late = await runProgram(repo, ['answer', gate.id, 'answer', '1'], { env });
    assert.is(late.code, 1);
    assert.match(late.stderr, 'no run of this machine asks');
    const next = await runProgram(repo, ['work', '--dry-run'], { env });
    const said = next.stderr.includes('asked you something') ? next : await runProgram(repo, ['merge'], { env });
    assert.match(
      said.stderr,
      /worker-\w+ asked you something that was not answered before its run ended[\s\S]*Which database\?/,
    );
  });

  const calls = {
    claude: { name: 'AskUserQuestion', input: { questions } },
    codex: { name: 'request_user_input', input: { questions: [{ id: 'db', ...questions[0] }] } },
    kimi: {
      name: 'AskUserQuestion',
      input: { questions: [{ question: 'Which database?', header: 'DB', multi_select: false, options }] },
    },
    copilot: { name: 'ask_user', input: { question: 'Which database?', choices: ['Postgres', 'SQLite'] } },
    gemini: { name: 'ask_user', input: { questions } },
    opencode: { name: 'question', input: { questions } },
  };
  for (const cli of ['codex', 'kimi', 'copilot', 'gemini', 'opencode'] as const) {
    const canAsk = cli !== 'gemini' && cli !== 'opencode';
    const title = canAsk ? 'what it asks is answered' : 'it can ask nobody, and works on';
    testIf(
      test,
      place === 'inside' && trialCommand(cli) !== null,
      `agent-questions: ${needsCli(cli)}`,
    )(`DSK-6 ${cli}: ${title}`, async () => {
      const trial = parseTrial(
        JSON.stringify({
          task: { description: 'Write notes/a.txt.', file_locks: ['notes/a.txt'] },
          turns: [
            // Of a wrong form: its CLI refuses that before any hook.
            ...(cli === 'kimi' ? [{ call: calls.claude }] : []),
            { call: calls[cli] },
            { write: ['notes/a.txt', 'a'] },
            { run: "git add notes/a.txt && git commit -qm 'docs: a'" },
            { say: 'It is there.' },
          ],
          decisions: { question: [{ answer: '2' }] },
        }),
      );
      const { exit_code, tasks, told, audit } = await tryCli(cli, trial, null);
      assert.equal([exit_code, tasks[0]?.status], [0, 'merged'], JSON.stringify(told));
      const rules = audit.map(({ rule }) => rule).filter((rule) => rule.startsWith('question'));
      assert.equal(rules, canAsk ? ['question-asked', 'question-answered'] : []);
      if (canAsk) assert.match(told[cli === 'kimi' ? 1 : 0]?.text ?? '', '"Which database?": "SQLite"');
    });
  }
}

test.run();
