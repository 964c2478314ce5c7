import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findJsonBySchema } from '../../lib/agents/answer-from-text.ts';
import { parseClaudeTranscript } from '../../lib/agents/claude-reader.ts';

const plan = { tasks: [{ id: 'task-001', description: 'braces } { and \\" in text' }] };

test('the plan is found in a fenced block, bare, and among prose with braces', () => {
  const json = JSON.stringify(plan, null, 2);
  assert.equal(findJsonBySchema(`Here it is:\n\`\`\`json\n${json}\n\`\`\`\nLeave with /exit {really}.`), plan);
  assert.equal(findJsonBySchema(json), plan);
  assert.equal(findJsonBySchema(`{"note": {"x": 1}} and ${json} {"other": [1]}`), plan);
});

test('the last plan counts, and what is no plan is none', () => {
  assert.equal(findJsonBySchema(`{"tasks": []} then ${JSON.stringify(plan)}`), plan);
  assert.is(findJsonBySchema('{"tasks": "later"}'), null);
  assert.is(findJsonBySchema('{"tasks": [1, 2'), null);
  assert.is(findJsonBySchema('no braces'), null);
});

test('a task that names tasks does not hide the plan around it', () => {
  const nested = { tasks: [{ id: 'a', meta: { x: {} } }], note: 'tasks "tasks"' };
  assert.equal(findJsonBySchema(JSON.stringify(nested)), nested);
});

test('PLN-2: the last answer of the main conversation that holds a plan is the plan', () => {
  const lines = [
    { type: 'user', message: { role: 'user', content: 'plan it' } },
    assistant('m1', 'Which one?', 10),
    assistant('m2', JSON.stringify(plan), 20),
    { ...assistant('s1', '{"tasks": []}', 5), isSidechain: true },
    assistant('m3', 'Leave with /exit.', 30),
    assistant('m3', '', 30),
    { type: 'system', subtype: 'turn_duration' },
  ];
  const parts = parseClaudeTranscript(`${lines.map((line) => JSON.stringify(line)).join('\n')}\nnot json\n`);
  assert.equal(parts.answer, plan);
  assert.is(parts.text, 'Leave with /exit.');
  assert.is(parts.tokens, 65);
});

test('a plan in two blocks of one message is put together', () => {
  const lines = [assistant('m1', '{"tasks": ', 1), assistant('m1', '[]}', 1)];
  assert.equal(parseClaudeTranscript(lines.map((line) => JSON.stringify(line)).join('\n')).answer, {
    tasks: [],
  });
});

test('an empty transcript says nothing', () => {
  assert.equal(parseClaudeTranscript(''), { answer: null, text: '', tokens: 0 });
});

function assistant(id: string, text: string, output: number): object {
  return {
    type: 'assistant',
    isSidechain: false,
    message: { id, content: [{ type: 'text', text }], usage: { output_tokens: output } },
  };
}

test.run();
