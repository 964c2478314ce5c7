import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClaudeProject, closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import type { ModelScript, Reply } from '../support/model-server.ts';
import { testIf } from '../support/skip.ts';

// What a worker of the real client is told at its end, through `git flame`.

const claude = findClaude();
const place = claude === null ? 'none' : enterNetworkNamespace();

// The client writes over no file that it has not read.
const readFirst: Reply = { tool: 'Read', input: { file_path: 'src/n.txt' } };
const write = (text: string): Reply => ({ tool: 'Write', input: { file_path: 'src/n.txt', content: text } });
const commit = (message: string): Reply => ({
  tool: 'Bash',
  input: { command: `git add src/n.txt && git commit -q -m '${message}'`, description: 'commit' },
});
const end: Reply = { text: 'It is done.' };

interface Options {
  readonly steps: readonly Reply[];
  readonly validation?: Readonly<Record<string, unknown>>;
  readonly limits?: Readonly<Record<string, unknown>>;
}

interface Ended {
  readonly project: ClaudeProject;
  readonly code: number | null;
  readonly stderr: string;
  readonly events: readonly Record<string, unknown>[];
  /** The last text its model read, of each request. */
  readonly read: readonly string[];
  readonly status: string | undefined;
}

async function run({ steps, validation = {}, limits = {} }: Options): Promise<Ended> {
  let asked = 0;
  const read: string[] = [];
  const script: ModelScript = (request) => {
    read.push(request.lastText);
    asked += 1;
    return steps[asked - 1] ?? end;
  };
  const project = await openClaudeProject({
    config: {
      roles: { validator: { adapter: 'none' } },
      validation: { validator_diagnostics: { commands: ['! grep -q bad src/n.txt'] }, ...validation },
      limits: { max_retries: 0, ...limits },
    },
    script,
  });
  project.repo.write('src/n.txt', 'from before\n');
  project.repo.commit('a file');
  const plan = writePlan(project.repo, [{ id: 'task-001', script: 'Write it.', locks: ['src/n.txt'] }]);
  const decisions = writeDecisions(project.repo, {
    plan: ['approve'],
    changesets: ['approve'],
    validation: ['drop'],
  });
  const done = await project.flame('run', 'One', '--from', plan, '--decisions-file', decisions);
  return {
    ...{ project, code: done.code, stderr: done.stderr, events: done.lines, read },
    status: tasksOf(done)[0]?.status,
  };
}

function told({ events }: Ended): readonly unknown[] {
  return events.filter(({ event }) => event === 'last-word').map(({ about }) => about);
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-last-word: needs Claude Code and a network namespace');
  test.after(closeProjects);

  live('RND-5 a worker is told which diagnostics fail as it means to end, mends it and lands', async () => {
    const ended = await run({
      steps: [readFirst, write('bad\n'), end, write('good\n'), commit('good'), end],
    });
    assert.is(ended.code, 0, ended.stderr);
    assert.is(ended.status, 'merged');
    assert.equal(told(ended), [['! grep -q bad src/n.txt ended with 1']]);
    const heard = ended.read.filter((text) => text.includes('Before you end'));
    assert.is(new Set(heard).size, 1, 'it is told once');
    assert.match(heard[0] ?? '', /Checks that fail on your work[\s\S]*- ! grep -q bad src\/n\.txt ended with 1/);
    assert.is(ended.project.repo.git('show', 'main:src/n.txt'), 'good');
    const logs = join(ended.project.repo.path, '.git/blueflame/logs');
    const audits = readdirSync(logs, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.audit.jsonl'),
    );
    const lines = audits.flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'));
    assert.is(lines.filter((line) => line.includes('"rule":"last-word"')).length, 1);
  });

  live('RND-5 a worker is told what the post-check would refuse, once: the second end is its end', async () => {
    const ended = await run({
      steps: [readFirst, write('fine\n'), commit('no tests'), end, end],
      validation: {
        require_tests: { enabled: true, source_patterns: ['src/**'], test_patterns: ['test/**'] },
      },
    });
    assert.is(ended.status, 'failed', ended.stderr);
    assert.is(told(ended).length, 1);
    assert.match(String(told(ended)[0]), /\[tests-missing\]/);
  });

  live('RND-5 nothing is said where nothing is against it, nor where the configuration has it off', async () => {
    const fine = await run({ steps: [readFirst, write('good\n'), commit('good'), end] });
    assert.equal([told(fine), fine.status], [[], 'merged'], fine.stderr);
    const off = await run({
      steps: [readFirst, write('bad\n'), commit('bad'), end],
      validation: { last_word: false, validator_diagnostics: { commands: ['! grep -q bad src/n.txt'] } },
    });
    assert.equal([told(off), off.status], [[], 'dropped'], off.stderr);
  });

  live('RND-5 its budget holds while it goes on', async () => {
    const ended = await run({
      steps: [readFirst, write('bad\n'), { ...end, usage: { input_tokens: 39_000 } }, write('good\n')],
      limits: { token_budget: { worker_tokens: 40_000 } },
    });
    assert.is(ended.status, 'failed', ended.stderr);
    assert.is(told(ended).length, 1);
    const failed = ended.events.find(({ event }) => event === 'task-failed');
    assert.is((failed?.failure as { kind: string } | undefined)?.kind, 'budget');
  });
}

test.run();
