// Runs an agent that needs the model: loopback is all the network its cell has, so the bridge listens there
// and passes every connection to the gateway's socket. It ends as the agent ends. With --stdio SOCKET it is the program
// that leads to the tools of the orchestrator: what it reads goes there, what comes back it prints.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

const [port = '', socketPath = '', program = '', ...args] = process.argv.slice(2);
if (port === '--stdio') passTools();
else listenForAgent();

function passTools(): void {
  const tools = connect(socketPath);
  tools.on('error', (error) => fail(error));
  tools.on('close', () => process.exit(0));
  process.stdin.pipe(tools).pipe(process.stdout);
}

function listenForAgent(): void {
  const server = createServer((client) => {
    const gateway = connect(socketPath);
    client.on('error', () => gateway.destroy());
    gateway.on('error', () => client.destroy());
    client.pipe(gateway).pipe(client);
  });
  server.on('error', (error) => fail(error));
  server.listen(Number(port), '127.0.0.1', runAgent);
}

function runAgent(): void {
  const agent = spawn(program, args, { stdio: 'inherit' });
  agent.on('error', (error) => fail(error));
  agent.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => agent.kill(name));
}

function fail(error: Error): void {
  process.stderr.write(`The agent could not be started: ${error.message}\n`, () => process.exit(127));
}
