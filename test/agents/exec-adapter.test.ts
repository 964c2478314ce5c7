import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import type { AgentEnd, AgentResultParts } from '../../lib/domain/ports/adapter.ts';
import { makePaths, makeRequest } from '../support/model-agent.ts';

const adapter = getAdapter('exec', configSchema.parse({}));
const paths = makePaths({ command: ['/bin/bash'] });
const ended: AgentEnd = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  stoppedBecause: null,
  stderr: '',
  at: 0,
};

test('ADP-1: the description is the script, run from a file of its own', () => {
  const request = makeRequest({ prompt: 'echo hi > src/a.txt', taskTitle: 'Say "hi"', attempt: 2 });
  const { argv, env, files, stdin } = adapter.launch(request, paths);
  assert.equal(argv, ['/bin/bash', '/cell/control/task.sh']);
  assert.equal(files, [{ dir: 'control', path: 'task.sh', content: 'echo hi > src/a.txt\n' }]);
  assert.is(stdin, null);
  assert.is(env.FLAME_TASK_ID, 'task-001');
  assert.is(env.FLAME_TASK_TITLE, 'Say "hi"');
  assert.is(env.FLAME_ATTEMPT, '2');
  assert.not('ANTHROPIC_API_KEY' in env);
});

test('it needs no model, and the orchestrator commits what it left', () => {
  assert.equal(adapter.apis, []);
  assert.is(adapter.calls, null);
  assert.is(adapter.commits, 'orchestrator');
});

test('exit 0 is success whatever it printed', () => {
  const parts = run('error: everything is fine\n', ended);
  assert.is(parts.failure, null);
  assert.is(parts.text, 'error: everything is fine');
  assert.is(parts.cost_usd, 0);
});

test('RVW-1 its last lines are its words, with each line that says why a file changed', () => {
  const why = Array.from({ length: 200 }, (_, at) => `WHY src/f${at}.ts: reason ${at}`);
  const said = Array.from({ length: 30 }, (_, at) => `line ${at}`);
  const { text } = run([...why, ...said].join('\n'), ended);
  assert.equal(text.split('\n'), [...why, ...said.slice(-20)]);
});

test('another exit code is a failure with the last lines of both outputs', () => {
  const parts = run('one\ntwo\n', { ...ended, exitCode: 3, stderr: 'no such file\n' });
  assert.is(parts.failure?.kind, 'agent-error');
  assert.match(parts.failure?.message ?? '', 'exit code 3');
  assert.equal(parts.failure?.details, ['one', 'two', 'no such file']);
});

test('time-outs, kills and stops are told apart', () => {
  assert.is(run('', { ...ended, exitCode: null, timedOut: true }).failure?.kind, 'agent-timeout');
  assert.is(run('', { ...ended, exitCode: null, signal: 'SIGKILL' }).failure?.kind, 'agent-crashed');
  assert.is(run('', { ...ended, exitCode: 137 }).failure?.kind, 'agent-crashed');
  assert.is(run('', { ...ended, exitCode: 1, stoppedBecause: 'stopped' }).failure?.kind, 'agent-stopped');
});

test('ADP-2: live output shows the last line of each chunk', () => {
  const reader = adapter.reader(makeRequest());
  assert.equal(reader.push('one\ntwo\n'), [{ text: 'two', tokens: 0, cost_usd: 0 }]);
  assert.equal(reader.push('\n'), []);
});

test('adapters.exec.command replaces the interpreter', () => {
  const own = getAdapter('exec', configSchema.parse({ adapters: { exec: { command: ['python3', '-I'] } } }));
  assert.equal(own.command, ['python3', '-I']);
});

function run(output: string, end: AgentEnd): AgentResultParts {
  const reader = adapter.reader(makeRequest());
  reader.push(output);
  return reader.finish(end);
}

test.run();
