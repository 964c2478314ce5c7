import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonRecord } from '../../lib/util/json.ts';
import {
  type ClaudeProject,
  closeProjects,
  openClaudeProject,
  processesAbout,
  tasksOf,
} from '../support/claude-project.ts';
import { type Hands, hands } from '../support/cli-hands.ts';
import { findCli } from '../support/clis.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { enterNetworkNamespace } from '../support/model-namespace.ts';
import { provesRole } from '../support/proven-table.ts';
import { startScriptedModel, type Turn } from '../support/scripted-model.ts';
import { assertPlannedAtLast, plansAtLast, roleAsked } from '../support/scripted-planner.ts';
import { testIf } from '../support/skip.ts';

// Sessions in which each role is another CLI, with a model API of its own; where no agent is needed a script works.

const names = ['gemini', 'kimi', 'opencode'] as const;
const clis = Object.fromEntries(names.map((name) => [name, findCli(name)]));
const isThere = Object.values(clis).every((command) => command !== null);
const place = isThere ? enterNetworkNamespace() : 'none';
const needs = 'cli-roles: needs a network namespace, and gemini, kimi and opencode where FLAME_TEST_CLIS says';
/** Texts that stand nowhere else. */
const keys = { google: 'AIza-outside-40c2', moonshot: 'sk-kimi-outside-9d31', openai: 'sk-outside-77aa' };

interface Asked {
  readonly role: string;
  readonly body: JsonRecord;
  /** How many results of calls it was told. */
  readonly told: number;
}
/** What the model of an agent says: at each turn, or now. */
type Script = (asked: Asked) => readonly Turn[] | Turn;

async function openSession(
  config: Readonly<Record<string, unknown>>,
  script: Script,
): Promise<{
  readonly project: ClaudeProject;
  readonly asked: () => readonly string[];
  close(): Promise<void>;
}> {
  const asked: string[] = [];
  const dialects = ['gemini', 'chat', 'responses'] as const;
  const model = await startScriptedModel(dialects, (_turn, { url, headers, body, results }) => {
    const cli = url.includes('enerateContent') ? 'gemini' : url.endsWith('/responses') ? 'opencode' : 'kimi';
    const role = roleAsked(body);
    const key = `${headers['x-goog-api-key'] ?? headers.authorization}`.replace('Bearer ', '');
    asked.push(`${cli} ${role} ${key}`);
    const says = script({ role, body, told: results.length });
    return (Array.isArray(says) ? says[results.length] : says) ?? { text: 'done.' };
  });
  const project = await openClaudeProject({
    script: () => ({ text: 'nobody asks this one' }),
    env: {
      ...{ GEMINI_API_KEY: keys.google, GOOGLE_GEMINI_BASE_URL: model.url },
      ...{ MOONSHOT_API_KEY: keys.moonshot, MOONSHOT_BASE_URL: `${model.url}/v1` },
      ...{ OPENAI_API_KEY: keys.openai, OPENAI_BASE_URL: `${model.url}/v1` },
    },
    config: {
      adapters: Object.fromEntries(Object.entries(clis).map(([name, command]) => [name, { command }])),
      // Overlapping locks would keep what conflicts from running at once.
      validation: { file_scope: { enforce: false } },
      ...config,
    },
  });
  project.repo.write('same.txt', 'before\n');
  project.repo.commit('a file');
  return { project, asked: () => [...new Set(asked)].sort(), close: model.close };
}

function task(id: string, group: string, description: string, lock: string): object {
  return { id, title: id, description, priority: 1, cohesion_group: group, file_locks: [lock] };
}

/** Two scripts that put different words into one file. */
const conflict = ['first', 'second'].map((id) => task(id, 'same', `echo ${id} > same.txt`, `locks/${id}`));

/** A merger that looks, is denied what is no conflict, writes both, and commits. */
function merges({ read, write, run }: Hands): readonly Turn[] {
  return [
    { calls: [read('same.txt')] },
    { calls: [write('elsewhere.txt', 'x')] },
    { calls: [write('same.txt', 'first and second')] },
    { calls: [run('git add same.txt && git commit -qm "Merge both"')] },
    { text: `Both stand.\n${JSON.stringify({ status: 'resolved', notes: 'Both stand.' })}` },
  ];
}

/** A worker that is refused a place by its CLI, and a command by the watcher, before it commits. */
function works({ write, run }: Hands): readonly Turn[] {
  return [
    { calls: [write('src/one.txt', 'one')] },
    { calls: [write('.env', 'A=b')] },
    { calls: [write('../outside.txt', 'x')] },
    { calls: [run('curl http://127.0.0.1/')] },
    { calls: [run('git add src/one.txt && git commit -qm "feat: write one"')] },
    { text: 'It is committed.' },
  ];
}

const passes: Turn = { text: JSON.stringify({ status: 'pass', notes: 'As asked.', issues: [] }) };

async function runSession({ flame, repo }: ClaudeProject, groups: readonly string[]) {
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: [Object.fromEntries(groups.map((group) => [group, 'approve']))],
    session: ['stop'],
  });
  const run = await flame('run', 'Count with files', '--decisions-file', decisions);
  assert.is(run.code, 0, run.stderr + run.stdout);
  assert.equal(
    tasksOf(run).map(({ status }) => status),
    tasksOf(run).map(() => 'merged'),
    run.stdout,
  );
  assert.is(repo.git('show', 'main:same.txt'), 'first and second');
  assert.throws(() => repo.git('show', 'main:elsewhere.txt'));
  assertPlannedAtLast(run);
  const canaries = run.lines.filter(({ event }) => event === 'canary');
  assert.ok(canaries.every(({ result }) => result === 'denied'));
  return run;
}

/** Nothing of the agents is left: no process, no home, no file. */
function assertNothingLeft({ repo, root }: ClaudeProject): void {
  assert.equal(processesAbout(root), []);
  assert.equal(readdirSync(join(repo.path, '.git/blueflame/run')), []);
  assert.equal(readdirSync(join(root, 'tmp')), []);
  assert.equal(readdirSync(join(root, 'home')), ['.gitconfig']);
  assert.is(repo.git('status', '--porcelain'), '');
}

/** What was asked for an agent of a task. */
function auditOf(
  { repo }: ClaudeProject,
  lines: readonly Readonly<Record<string, unknown>>[],
  [role, id]: readonly [string, string],
): string {
  const agent = lines.find((line) => line.event === 'agent-started' && line.role === role && line.task === id)?.agent;
  return readFileSync(join(repo.path, '.git/blueflame/logs', `${String(agent)}.audit.jsonl`), 'utf8');
}

const outOfScope = /"target":"elsewhere\.txt","decision":"block","rule":"path-out-of-scope"/;

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', needs);
  test.after(closeProjects);

  live('ADP-1 ADP-2: opencode plans, kimi works, gemini judges and merges', async () => {
    const { project, asked, close } = await openSession(
      {
        roles: {
          planner: { adapter: 'opencode' },
          worker: { adapter: 'exec' },
          merger: { adapter: 'gemini' },
        },
        models: {
          planner: 'openai/gpt-5.5',
          groups: { docs: { worker: { adapter: 'kimi' }, validator: { adapter: 'gemini' } } },
        },
      },
      ({ role, body, told }) => {
        const one = task('one', 'docs', 'Put the word one into src/one.txt.', 'src/one.txt');
        if (role === 'planner') return plansAtLast(body, told, [one, ...conflict]);
        if (role === 'validator') return [{ calls: [hands.gemini.read('src/one.txt')] }, passes];
        return role === 'merger' ? merges(hands.gemini) : works(hands.kimi);
      },
    );
    const run = await runSession(project, ['docs', 'same']);
    assert.is(project.repo.git('show', 'main:src/one.txt'), 'one');
    assert.equal(asked(), [
      `gemini merger ${keys.google}`,
      `gemini validator ${keys.google}`,
      `kimi worker ${keys.moonshot}`,
      `opencode planner ${keys.openai}`,
    ]);
    // Three CLIs in the three roles of one task.
    const agents = run.lines.filter(({ event }) => event === 'agent-started');
    const ofOne = agents.filter(({ role, task: id }) => role === 'planner' || id === 'one');
    assert.equal(
      ofOne.map(({ role }) => role),
      ['planner', 'planner', 'worker', 'validator'],
    );
    assertNothingLeft(project);
    assert.match(auditOf(project, run.lines, ['worker', 'one']), /"target":"curl [^"]*","decision":"block"/);
    assert.match(auditOf(project, run.lines, ['merger', 'second']), outOfScope);
    await close();
    provesRole('opencode', 'planner');
    provesRole('gemini', 'merger');
  });

  live('ADP-1 ADP-2: gemini plans, kimi judges and merges', async () => {
    const { project, asked, close } = await openSession(
      {
        roles: { planner: { adapter: 'gemini' }, worker: { adapter: 'exec' }, merger: { adapter: 'kimi' } },
        models: { groups: { left: { validator: { adapter: 'kimi' } } } },
      },
      ({ role, body, told }) => {
        const left = task('left', 'left', 'echo left > left.txt', 'left.txt');
        if (role === 'planner') return plansAtLast(body, told, [left, ...conflict]);
        return role === 'merger' ? merges(hands.kimi) : [{ calls: [hands.kimi.read('left.txt')] }, passes];
      },
    );
    const run = await runSession(project, ['left', 'same']);
    assert.equal(asked(), [
      `gemini planner ${keys.google}`,
      `kimi merger ${keys.moonshot}`,
      `kimi validator ${keys.moonshot}`,
    ]);
    assert.match(auditOf(project, run.lines, ['merger', 'second']), outOfScope);
    assertNothingLeft(project);
    await close();
    provesRole('gemini', 'planner');
    provesRole('kimi', 'merger');
  });
}

test.run();
