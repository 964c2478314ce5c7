import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { endTree, type LineFaults, listening, type RemoteLine, removeLocks, slowLine, treeOf } from './remote-lines.ts';
import { makeTempDir } from './repo.ts';
import { until } from './until.ts';

const sshd = '/usr/sbin/sshd';

export interface SshLine extends RemoteLine {
  /** How many connections the server took in. */
  accepted(): number;
  /** The processes of connections that are open. */
  open(): readonly number[];
}

/** Whether an sshd can be started here. */
export const hasSshd = existsSync(sshd) && process.getuid?.() === 0;

/** Stock git behind a real sshd, with keys and configuration of its own. */
export async function serveSsh(
  path: string,
  { faults = null, maxSessions = 100 }: { readonly faults?: LineFaults | null; readonly maxSessions?: number } = {},
): Promise<SshLine> {
  const folder = makeTempDir('flame-sshd');
  const key = (name: string): string => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
    return join(folder, name);
  };
  const [host, user] = [key('host'), key('user')];
  writeFileSync(join(folder, 'authorized'), readFileSync(`${user}.pub`), { mode: 0o600 });
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const free = createTcpServer();
  const port = await listening(free);
  await new Promise((resolve) => free.close(resolve));
  const config = [
    ...[`Port ${port}`, 'ListenAddress 0.0.0.0', `HostKey ${host}`, 'StrictModes no', 'UsePAM no'],
    ...[`AuthorizedKeysFile ${join(folder, 'authorized')}`, 'PidFile none', 'PermitRootLogin yes'],
    ...['PasswordAuthentication no', 'MaxStartups 100', `MaxSessions ${maxSessions}`],
    // What the account's shell reads at its start is not the server's.
    `SetEnv HOME=${folder}`,
  ];
  writeFileSync(join(folder, 'config'), `${config.join('\n')}\n`);
  const log = openSync(join(folder, 'log'), 'a');
  const start = async (): Promise<ChildProcess> => {
    const server = spawn(sshd, ['-D', '-e', '-f', join(folder, 'config')], {
      stdio: ['ignore', 'ignore', log],
    });
    await reachable(port);
    return server;
  };
  let server = await start();
  const line = faults === null ? null : await slowLine(port, faults);
  const options = '-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR';
  return {
    url: (host) => `ssh://root@${host}:${line?.port ?? port}${path}`,
    env: { GIT_SSH_COMMAND: `ssh -F none -i ${user} -o IdentitiesOnly=yes ${options}` },
    crash: async (down) => {
      if (server.pid !== undefined) endTree(server.pid);
      await down();
      removeLocks(path);
      server = await start();
    },
    close: () => {
      line?.server.close();
      server.kill();
      closeSync(log);
    },
    accepted: () => readFileSync(join(folder, 'log'), 'utf8').split('Accepted publickey').length - 1,
    open: () => treeOf(server.pid ?? 0).slice(1),
  };
}

async function reachable(port: number): Promise<void> {
  const isThere = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
  await until('the server takes connections', isThere);
}
