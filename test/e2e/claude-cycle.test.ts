import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ClaudeProject,
  closeProjects,
  type FlameCommand,
  listFiles,
  madeUpKey,
  openClaudeProject,
  processesAbout,
  tasksOf,
} from '../support/claude-project.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import type { ModelRequest, ToolResult } from '../support/model-request.ts';
import { roleOf, roleScript, structuredAnswer, taskOf } from '../support/model-roles.ts';
import type { Reply, ToolUse } from '../support/model-server.ts';
import { testIf } from '../support/skip.ts';

// One session with the real client in every role, through `git flame` as a person types it. It is run once; each
// test looks at another side of what it did. A worker of it tries all it may not.

const claude = findClaude();
const place = claude === null ? 'none' : enterNetworkNamespace();
const forbidden = 'FORBIDDEN-CONTENT';
const models = { planner: 'claude-sonnet-4-5', worker: 'claude-opus-4-1', validator: 'claude-haiku-4-5' };

const plan = [
  {
    id: 'task-001',
    title: 'Write one',
    description: 'Put the word one into src/one.txt.\n\nSecond paragraph: *markup*, "quotes", <tags> and ünïcode.',
    priority: 1,
    cohesion_group: 'numbers',
    file_locks: ['src/one.txt'],
    acceptance_criteria: ['src/one.txt holds the word one'],
  },
  {
    id: 'task-002',
    title: 'Write two',
    description: 'Put the word two into src/two.txt.',
    priority: 1,
    cohesion_group: 'numbers',
    file_locks: ['src/two.txt'],
  },
  {
    id: 'task-003',
    title: 'Write the sum',
    description: 'Put what src/one.txt and src/two.txt hold into src/sum.txt.',
    priority: 2,
    cohesion_group: 'sums',
    dependencies: ['task-001', 'task-002'],
    file_locks: ['src/sum.txt'],
  },
];

/** What the worker of task-001 tries, and the rule that must stop it; null: the client itself refuses. */
const attempts: readonly { readonly rule: string | null; readonly call: ToolUse }[] = [
  { rule: 'path-out-of-scope', call: write('src/elsewhere.txt') },
  { rule: 'path-out-of-scope', call: edit('README.md', '# Sample') },
  { rule: 'path-outside', call: write('../outside.txt') },
  { rule: 'path-outside', call: write('/var/lib/outside.txt') },
  { rule: 'path-outside', call: write('../../.git/hooks/x') },
  { rule: 'path-hidden', call: write('.env') },
  { rule: 'path-protected', call: { tool: 'Read', input: { file_path: '.blueflame.yml' } } },
  { rule: 'path-protected', call: bash(`echo ${forbidden} > .blueflame.yml`) },
  { rule: 'path-protected', call: bash(`echo ${forbidden} > .git`) },
  { rule: 'path-out-of-scope', call: bash(`echo ${forbidden} > src/elsewhere.txt`) },
  { rule: 'bash-not-allowed', call: bash('curl http://127.0.0.1/') },
  { rule: 'bash-not-allowed', call: bash(`tcc -run ${forbidden} > src/one.txt`) },
  { rule: 'git-option', call: bash(`git commit --no-verify -m ${forbidden}`) },
  // It was not read, and in a worktree .git is a file.
  { rule: null, call: edit('.blueflame.yml', 'sample') },
  { rule: null, call: write('.git/hooks/x') },
];

interface Cycle {
  readonly project: ClaudeProject;
  readonly run: FlameCommand;
  readonly filesBefore: readonly string[];
  /** While a worker worked. */
  readonly processesDuring: readonly string[];
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-cycle: needs Claude Code and a network namespace');
  let cycle: Cycle | null = null;
  const theCycle = async (): Promise<Cycle> => {
    cycle ??= await runCycle();
    return cycle;
  };
  test.after(closeProjects);

  live('a session ends with everything landed, and says so', async () => {
    const { project, run } = await theCycle();
    assert.is(run.code, 0, run.stderr + run.stdout);
    assert.is(run.lines.at(-1)?.event, 'session-ended');
    assert.equal(
      tasksOf(run).map(({ status }) => status),
      ['merged', 'merged', 'merged'],
    );
    const status = await project.flame('status');
    assert.equal(
      tasksOf(status).map(({ status: state }) => state),
      ['merged', 'merged', 'merged'],
    );
    const { repo } = project;
    assert.is(repo.git('show', 'main:src/sum.txt'), 'one\ntwo');
    assert.is(readFileSync(join(repo.path, 'src/sum.txt'), 'utf8'), 'one\ntwo\n');
    assert.match(repo.git('log', '-1', 'main'), /Notes \(blueflame\/shown\):\n {4}approved by Lea Lead, /);
    assert.is(repo.git('fsck', '--strict', '--no-dangling'), '');
    assert.is(repo.git('status', '--porcelain'), '');
  });

  live('each conversation is the one that was meant: role, task, model, tools', async () => {
    const { project } = await theCycle();
    const { requests } = project.model;
    const first = (role: string, task: string | null): ModelRequest => {
      const found = requests.filter(
        (request) => request.turn === 1 && roleOf(request) === role && taskOf(request) === task,
      );
      assert.is(found.length, 1, `${role} ${task}`);
      return found[0] as ModelRequest;
    };
    const planner = first('planner', null);
    assert.match(planner.prompt, 'Count with files');
    assert.match(planner.prompt, 'src/a.txt');
    for (const { id, description } of plan) {
      for (const role of ['worker', 'validator'] as const) {
        const request = first(role, id);
        assert.ok(request.prompt.includes(description), `${role} ${id}`);
        assert.is(request.model, models[role]);
      }
    }
    assert.is(planner.model, models.planner);
    assert.match(first('validator', 'task-001').prompt, '+one');
    assert.match(first('validator', 'task-001').prompt, 'path-out-of-scope');
    assert.equal([...first('worker', 'task-001').tools].sort(), [
      'AskUserQuestion',
      'Bash',
      'Edit',
      'Glob',
      'Grep',
      'Read',
      'Write',
    ]);
    // The client's own rules for commits would contradict the prompt, and sign what agents commit.
    assert.not.match(JSON.stringify(first('worker', 'task-001').body), /Co-Authored-By|branch first|HEREDOC/);
    assert.equal([...first('validator', 'task-001').tools].sort(), ['Glob', 'Grep', 'Read', 'StructuredOutput']);
  });

  live('the independent tasks are worked on at the same time, the dependent one sees both works', async () => {
    const { project } = await theCycle();
    const workers = project.model.requests.filter((request) => roleOf(request) === 'worker');
    // The first two answers were held back until both had asked; the third worker came after both had ended.
    assert.equal(workers.slice(0, 2).map(taskOf).sort(), ['task-001', 'task-002']);
    const third = workers.filter((request) => taskOf(request) === 'task-003');
    assert.equal(workers.slice(-third.length), third);
    const read = resultsOf(project, 'task-003').slice(0, 2);
    assert.equal(
      read.map(({ text }) => text.replace(/^\s*\d+\s/gm, '').trim()),
      ['one', 'two'],
    );
  });

  for (const [index, { rule, call }] of attempts.entries()) {
    const why = rule ?? 'by the client';
    live(`WAT-1: ${call.tool} ${Object.values(call.input)[0]} is denied: ${why}`, async () => {
      const { project } = await theCycle();
      const result = resultsOf(project, 'task-001')[index + 1];
      assert.is(result?.tool, call.tool);
      assert.ok(result?.isError, result?.text);
      if (rule !== null) assert.match(result?.text ?? '', `[${rule}]`);
    });
  }

  live('WAT-7: every call is in the audit, allowed and blocked, with the rule', async () => {
    const { project } = await theCycle();
    const worker = agentOf(project, 'task-001');
    const logs = join(project.repo.path, '.git/blueflame/logs');
    const audit = readLines(join(logs, `${worker}.audit.jsonl`));
    assert.equal(
      audit
        .filter(({ decision }) => decision === 'block')
        .map(({ rule }) => `${rule}`)
        .sort(),
      attempts.flatMap(({ rule }) => rule ?? []).sort(),
    );
    assert.equal(
      audit
        .filter(({ decision }) => decision === 'allow')
        .map(({ tool }) => `${tool}`)
        .sort(),
      ['Bash', 'Bash', 'Bash', 'Read', 'Write', 'git commit-msg', 'git pre-commit'],
    );
    assert.ok(audit.every((line) => line.agent_id === worker));
    const egress = readLines(join(logs, `${worker}.egress.jsonl`));
    assert.is(egress.filter(({ method, status }) => method === 'POST' && status === 200).length, 6);
    assert.is(readLines(join(logs, `${worker}.stream.jsonl`)).at(-1)?.type, 'result');
  });

  live('UNI-5: nothing that was blocked is anywhere', async () => {
    const { project, filesBefore } = await theCycle();
    const { repo, root } = project;
    assert.equal(
      listFiles(root).filter((file) => !filesBefore.includes(file)),
      ['repo/src/one.txt', 'repo/src/sum.txt', 'repo/src/two.txt'],
    );
    assert.not(existsSync('/var/lib/outside.txt'));
    assert.is(repo.git('log', '--all', '--format=%H', `-S${forbidden}`), '');
    assert.is(repo.git('log', '--all', '--format=%H', `--grep=${forbidden}`), '');
    assert.not(existsSync(join(repo.path, '.git/hooks/x')));
  });

  live('SBX-5: the key reaches the model API and nothing else', async () => {
    const { project } = await theCycle();
    const { repo, root, model } = project;
    assert.ok(model.seen.every(({ headers }) => headers['x-api-key'] === madeUpKey));
    const environment = resultsOf(project, 'task-001').at(-3)?.text ?? '';
    assert.match(environment, 'CLAUDECODE=1');
    // What a worker's commands run, such as tests of a project that uses an SDK, could spend with these.
    assert.not.match(environment, /ANTHROPIC_|inside-the-cell/);
    assert.not.match(environment, madeUpKey);
    assert.not.match(JSON.stringify(model.requests.map(({ body }) => body)), madeUpKey);
    const logs = join(repo.path, '.git/blueflame/logs');
    const files = [
      ...readdirSync(logs).map((name) => join(logs, name)),
      ...listFiles(root).map((file) => join(root, file)),
    ];
    assert.equal(
      files.filter((file) => readFileSync(file).includes(madeUpKey)),
      [],
    );
    assert.throws(() => repo.git('grep', '-q', madeUpKey, ...repo.git('rev-list', '--all').split('\n')));
  });

  live('nothing is left over: no process, worktree, lock, cell, or temporary file', async () => {
    const { project, processesDuring } = await theCycle();
    const { repo, root } = project;
    assert.ok(processesDuring.some((line) => line.includes('claude')));
    assert.equal(processesAbout(root), []);
    assert.equal(readdirSync(join(root, 'tmp')), []);
    assert.equal(readdirSync(join(root, 'home')), ['.gitconfig']);
    assert.is(repo.git('worktree', 'list').split('\n').length, 1);
    assert.is(existsSync(`${repo.path}.trees`), false);
    const state = join(repo.path, '.git/blueflame');
    assert.equal(
      readdirSync(state).filter((name) => name !== 'logs' && readdirSync(join(state, name)).length > 0),
      [],
    );
    assert.not(existsSync(join(repo.path, '.git/objects/info/alternates')));
    const locks = readdirSync(join(repo.path, '.git'), { recursive: true }).filter((name) =>
      `${name}`.endsWith('.lock'),
    );
    assert.equal(locks, []);
  });
}

test.run();

async function runCycle(): Promise<Cycle> {
  const bothAsked = barrier(2);
  const processesDuring: string[] = [];
  const project: ClaudeProject = await openClaudeProject({
    config: {
      models,
      // Two at once, however little memory there is.
      concurrency: { development: 2, validation: 2, adaptive: false },
      permissions: { bash_rules: { allowed_commands: ['git add', 'git commit', 'env', 'echo'] } },
    },
    script: async (request) => {
      const independent = ['task-001', 'task-002'].includes(taskOf(request) ?? '');
      if (roleOf(request) === 'worker' && independent && request.turn === 1) await bothAsked();
      if (roleOf(request) === 'worker') processesDuring.push(...processesAbout(project.root));
      return script(request);
    },
  });
  const filesBefore = listFiles(project.root);
  const decisions = writeDecisions(project.repo, { plan: ['approve'], changesets: ['approve', 'approve'] });
  const run = await project.flame('run', 'Count with files', '--decisions-file', decisions);
  return { project, run, filesBefore, processesDuring };
}

const script = roleScript({
  planner: [structuredAnswer({ tasks: plan })],
  worker: (request) => {
    switch (taskOf(request)) {
      case 'task-001':
        return [
          { tool: 'Read', input: { file_path: 'README.md' } },
          { tools: attempts.map(({ call }) => call) },
          { tools: [write('src/one.txt', 'one\n'), bash('env')] },
          ...handIn('src/one.txt', 'count one'),
        ];
      case 'task-002':
        return [write('src/two.txt', 'two\n'), ...handIn('src/two.txt', 'count two')];
      default:
        return [
          {
            tools: ['one', 'two'].map((name) => ({ tool: 'Read', input: { file_path: `src/${name}.txt` } })),
          },
          write('src/sum.txt', 'one\ntwo\n'),
          ...handIn('src/sum.txt', 'add up'),
        ];
    }
  },
  validator: [structuredAnswer({ status: 'pass', notes: 'It does what was asked.', issues: [] })],
});

function handIn(path: string, message: string): readonly Reply[] {
  return [bash(`git add ${path}`), bash(`git commit -m "${message}"`), { text: 'It is committed.' }];
}

function write(path: string, content = forbidden): ToolUse {
  return { tool: 'Write', input: { file_path: path, content } };
}

function bash(command: string): ToolUse {
  return { tool: 'Bash', input: { command, description: 'as it says' } };
}

function edit(path: string, old: string): ToolUse {
  return { tool: 'Edit', input: { file_path: path, old_string: old, new_string: forbidden } };
}

/** All results a task's worker was given, in the order of its calls: the client runs some at the same time. */
function resultsOf({ model }: ClaudeProject, task: string): readonly ToolResult[] {
  const asked = model.requests.filter((request) => roleOf(request) === 'worker' && taskOf(request) === task);
  const results = asked.at(-1)?.toolResults ?? [];
  return results.toSorted((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));
}

function agentOf({ repo }: ClaudeProject, task: string): string {
  const subjects = repo.git('log', '--format=%s', 'refs/blueflame/tasks');
  return new RegExp(`${task}: pending -> claimed by (worker-[0-9a-f]{8})`).exec(subjects)?.[1] ?? '';
}

function readLines(file: string): readonly Record<string, unknown>[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));
}

/** Resolves for all once it was called so many times. */
function barrier(count: number): () => Promise<void> {
  let missing = count;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    missing -= 1;
    if (missing === 0) open();
    return opened;
  };
}
