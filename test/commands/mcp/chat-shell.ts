import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { listLivingDescendants } from '../../../lib/cell/process-table.ts';

// What a chat's CLI is, in a process of its own: it has `git flame mcp` beside it, whose tools its model calls, and a
// shell in which that model types commands, before it calls the first tool. Arguments: the program, and the commands, each a
// JSON list of words; `kill the server` and `remove PATH` are further steps.

const [program = '', ...commands] = process.argv.slice(2);
// As a client that starts its servers in a shell, which stays between.
const server = spawn('/bin/sh', ['-c', '"$0" "$@"; exit $?', process.execPath, program, 'mcp'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const send = (id: number, method: string, params: object): void =>
  void server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
send(1, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'chat', version: '1' },
});
for await (const line of createInterface(server.stdout)) if (JSON.parse(line).id === 1) break;
for (const command of commands) {
  const words: string[] = JSON.parse(command);
  if (words[0] === 'kill the server') {
    const gone = once(server, 'close');
    for (const pid of listLivingDescendants(server.pid ?? 0)) process.kill(pid, 'SIGKILL');
    await gone;
    continue;
  }
  if (words[0] === 'remove') {
    rmSync(words[1] ?? '', { recursive: true });
    continue;
  }
  const run = spawnSync('/bin/sh', ['-c', '"$0" "$@"; exit $?', process.execPath, program, ...words], {
    encoding: 'utf8',
  });
  process.stdout.write(`${JSON.stringify({ code: run.status, stderr: run.stderr })}\n`);
}
if (server.exitCode === null) {
  const over = once(server, 'close');
  server.stdin.end();
  await over;
}
process.exit(0);
