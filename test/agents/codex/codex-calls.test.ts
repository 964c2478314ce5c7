import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listFilesOfPatch } from '../../../lib/agents/cli-hooks.ts';
import { codexCallFacts } from '../../../lib/agents/codex/codex-calls.ts';
import type { ConversationResult } from '../../../lib/domain/ports/call-facts.ts';

const reported = (tool_name: string, tool_input: unknown): unknown => ({
  ...{ hook_event_name: 'PreToolUse', tool_name, tool_input, tool_use_id: 'call_1', cwd: '/w/src' },
});

function told(
  text: string,
  name = 'exec_command',
  input: ConversationResult['input'] = { cmd: 'ls' },
): ConversationResult {
  return { id: 'call_1', name, input, text, isError: false, isNew: true };
}

const patch = [
  '*** Begin Patch',
  '*** Add File: new.txt',
  '+*** Delete File: only a line of the new file',
  '*** Update File: old.txt',
  '*** Move to: moved.txt',
  '@@ def f():',
  '-a',
  '+b',
  '*** End of File',
  '  *** Delete File: gone.txt  ',
  '*** End Patch',
].join('\n');

test('WAT-1: a command is judged as Bash in the folder of the call', () => {
  assert.equal(codexCallFacts.read(reported('Bash', { command: 'npm test' })), {
    id: 'call_1',
    name: 'Bash',
    input: { command: 'npm test' },
    does: [{ tool_name: 'Bash', tool_input: { command: 'npm test' }, cwd: '/w/src' }],
  });
});

test('WAT-1: a patch is judged file by file, under both names of one that is moved', () => {
  const does = codexCallFacts.read(reported('apply_patch', { command: patch }))?.does ?? [];
  assert.equal(
    does.map(({ tool_name, tool_input, cwd }) => [tool_name, tool_input.file_path, cwd]),
    [
      ['Write', 'new.txt', '/w/src'],
      ['Edit', 'old.txt', '/w/src'],
      ['Edit', 'moved.txt', '/w/src'],
      ['Edit', 'gone.txt', '/w/src'],
    ],
  );
});

test('WAT-2: a patch with a line that is not known, or without a file, is no call that can be judged', () => {
  for (const text of [
    '*** Begin Patch\n*** Environment ID: other\n*** Add File: a\n+x\n*** End Patch',
    '*** Begin Patch\n*** Add file: a\n+x\n*** End Patch',
    '*** Begin Patch\n*** End Patch',
    '',
  ])
    assert.equal(listFilesOfPatch(text, '/w'), [], text);
  assert.is(codexCallFacts.read(reported('apply_patch', {})), null);
  assert.is(codexCallFacts.read(reported('Bash', 'npm test')), null);
  assert.is(codexCallFacts.read({ tool_name: 'Bash', tool_input: {}, cwd: '/w' }), null, 'it names no call');
});

test('WAT-1: what the CLI refuses by itself never ran; what a tool prints can not look like it', () => {
  for (const text of [
    'unsupported call: nosuch',
    'unsupported custom tool call: nosuch',
    'failed to parse function arguments: missing field `cmd` at line 1 column 9',
    'apply_patch verification failed: invalid patch',
    'login shell is disabled by config; omit `login` or set it to false.',
    'approval policy is Never; reject command',
  ])
    assert.ok(codexCallFacts.neverRan(told(text)), text);
  for (const text of ['Chunk ID: 1\nOutput:\nunsupported call: x', 'Exit code: 0\nOutput:\naborted', ''])
    assert.not(codexCallFacts.neverRan(told(text)), text);
});

test('WAT-1: looking at a running command needs no answer, writing to one does', () => {
  const write = (chars: unknown): boolean =>
    codexCallFacts.neverRan(told('Chunk ID: 1\nOutput:\n', 'write_stdin', { session_id: 1, chars }));
  assert.equal([write(undefined), write(''), write('\u0003')], [true, true, true]);
  assert.equal([write('rm -rf x\n'), write(['x'])], [false, false]);
});

test('WAT-1: a blocked call is known by the words of the CLI', () => {
  assert.ok(codexCallFacts.wasBlocked(told('Command blocked by PreToolUse hook: no [rule]. Command: ls')));
  assert.not(codexCallFacts.wasBlocked(told('Chunk ID: 1\nOutput:\nCommand blocked by PreToolUse hook: ')));
});

test('WAT-4: a command for another shell than the one that is judged is more than its hook tells of', () => {
  const hides = (input: ConversationResult['input']): boolean =>
    codexCallFacts.hidesPartOfCall({ name: 'exec_command', input });
  assert.equal([hides({ cmd: 'ls' }), hides({ cmd: 'ls', shell: 'bash' })], [false, false]);
  assert.equal([hides({ cmd: 'ls', shell: 'zsh' }), hides({ cmd: 'ls', shell: 1 })], [true, true]);
});

test.run();
