import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isAgentProgram, isInteractiveShell, isWrapperProcess } from '../../lib/trust/chat-processes.ts';

const processOf = (line: string) => {
  const words = line.split(' ');
  return { name: words[0] ?? '', words };
};

test('between a server and its client are git, npm exec, scripts and shells with a command; a shell where one types is not', () => {
  for (const line of [
    'git flame mcp',
    '/bin/sh -c x',
    'dash -ec x',
    'bash -l -c x',
    'sh /opt/serve.sh',
    'npm exec git-flame mcp',
  ])
    assert.ok(isWrapperProcess(processOf(line)), line);
  for (const line of ['bash', '-bash', '/bin/sh -i', 'bash --init-file /etc/rc -i', 'claude -c', 'npm start'])
    assert.not.ok(isWrapperProcess(processOf(line)), line);
  for (const line of ['bash', '-bash', '-zsh -l', 'bash --init-file /etc/rc -i'])
    assert.ok(isInteractiveShell(processOf(line)), line);
});

test('an agent CLI is known by its name, its script and its package, and nothing that only speaks of it', () => {
  for (const line of [
    'claude --resume',
    '/usr/bin/codex',
    'node /usr/lib/node_modules/@openai/codex/bin/codex.js exec',
    'node --no-warnings /usr/bin/gemini -p hi',
    'bun /opt/opencode',
    'node /x/node_modules/@anthropic-ai/claude-code/cli.js',
    'node24 /opt/kimi-code/kimi.mjs',
    'python3.12 /home/lea/.local/bin/kimi',
    '/x/node_modules/@github/copilot-linux-x64/copilot',
  ])
    assert.ok(isAgentProgram(processOf(line)), line);
  assert.ok(isAgentProgram(processOf('tidy'), '/home/lea/.local/share/claude/versions/2.1.332'));
  for (const line of [
    'vim claude',
    'git flame mcp --print codex',
    'node /home/codex/app/server.js gemini',
    'bash -c claude',
    '/home/claude/bin/make',
    'node /srv/git-flame mcp --print claude',
  ])
    assert.not.ok(isAgentProgram(processOf(line)), line);
});

test.run();
