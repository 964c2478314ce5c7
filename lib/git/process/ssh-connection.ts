import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { holdChild, requirePipes } from '../../util/hold-child.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { environmentOf } from './git-environment.ts';
import type { KeptConnection } from './kept-connection.ts';
import { type GitContext, gitText } from './run-git.ts';
import { SleepWatch } from './sleep-watch.ts';
import { isPlainSsh, mayShare, parseSshTarget } from './ssh-target.ts';

// ssh binds `<folder>/<40 digits>.<16 letters>`, and sun_path holds 108 bytes with its final zero.
const longestFolder = 107 - 58;
// A line that is dead is found by the master within 15 s, whoever waits for it.
const masterOptions = [
  ...['-M', '-N', '-T', '-x', '-a', '-o', 'ControlPersist=no', '-o', 'ClearAllForwardings=yes'],
  ...['-o', 'ConnectTimeout=10', '-o', 'ServerAliveInterval=5', '-o', 'ServerAliveCountMax=2'],
  // Once it can be used.
  ...['-o', 'PermitLocalCommand=yes', '-o', 'LocalCommand=echo up'],
];
const mostStrikes = 3;

/** The person's ssh, as git would call it for a remote. */
interface Ssh {
  readonly command: string;
  readonly target: readonly string[];
}

/**
 * One connection of ssh that all git of a run goes through (`ControlMaster`). It is opened and held here, not by
 * git's ssh: so it has no pipe that git would wait for, and ends with this process, however that ends. Where it isn't
 * there, git's ssh connects by itself as ever.
 */
class SshConnection implements KeptConnection {
  readonly context: GitContext;
  readonly #ssh: Ssh;
  readonly #folder: string;
  #master: Master | null = null;
  #mayTry = true;
  #strikes = 0;
  readonly #sleep = new SleepWatch();

  constructor(context: GitContext, ssh: Ssh, folder: string) {
    this.#ssh = ssh;
    this.#folder = folder;
    const through = `${ssh.command} -o ControlMaster=no -o ControlPath=${folder}/%C`;
    this.context = { ...context, env: { ...context.env, GIT_SSH_COMMAND: through } };
  }

  async ready(_: 'fetch' | 'push', mostMs: number): Promise<GitContext> {
    if (this.#sleep.hasSlept() && this.#master !== null) this.#drop(this.#master);
    if (this.#master === null && this.#mayTry && this.#strikes < mostStrikes) this.#open();
    if (this.#master === null || this.#master.isUp) return this.context;
    const timer = new AbortController();
    const late = wait(mostMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([this.#master.decided, late]);
    timer.abort();
    return this.context;
  }

  /** What git pushes goes through it by itself. */
  async push(): Promise<null> {
    return null;
  }

  worked(): void {
    if (this.#master?.isUp) {
      this.#master.isUsed = true;
      this.#strikes = 0;
    } else this.#mayTry = true;
  }

  failed(): void {
    if (this.#master?.isUp) this.#drop(this.#master);
  }

  async close(): Promise<void> {
    this.#mayTry = false;
    const master = this.#master;
    master?.child.stdin?.end();
    await master?.ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Where it can't be started now, another time. */
  #open(): void {
    clear(this.#folder);
    try {
      const master = openMaster(this.context, this.#ssh, this.#folder);
      this.#master = master;
      void master.ended.then(() => this.#forget(master));
    } catch {
      this.#mayTry = false;
    }
  }

  #drop(master: Master): void {
    try {
      if (master.child.pid !== undefined) process.kill(-master.child.pid, 'SIGKILL');
    } catch {
      // It is gone.
    }
    this.#forget(master);
  }

  /** One that nothing ever went through counts against trying again: a host may not want any. */
  #forget(master: Master): void {
    if (this.#master !== master) return;
    this.#master = null;
    clear(this.#folder);
    if (master.isUsed) return;
    this.#strikes += 1;
    this.#mayTry = false;
  }
}

/** For git that talks to a remote by OpenSSH; null where another program does, or the person shares connections already. */
export async function openSshConnection(context: GitContext, url: string): Promise<KeptConnection | null> {
  const target = parseSshTarget(url);
  if (target === null) return null;
  const command = await plainSsh(context);
  if (command === null || !mayShare(await settingsOf(context, { command, target }))) return null;
  const folder = makeShortFolder();
  if (folder === null) return null;
  const connection = new SshConnection(context, { command, target }, folder);
  // Under way while the rest is made ready, and from now on nothing is left behind by a kill.
  await connection.ready('fetch', 0);
  return connection;
}

/** By git's order: GIT_SSH_COMMAND, core.sshCommand, GIT_SSH, ssh. null: not plainly OpenSSH. */
async function plainSsh(context: GitContext): Promise<string | null> {
  const { GIT_SSH_COMMAND: typed, GIT_SSH: program, GIT_SSH_VARIANT: kind } = context.env;
  const read = (key: string): Promise<string> =>
    gitText(context, ['config', '--get', key], { accept: [0, 1, 2] });
  const variant = kind || (await read('ssh.variant'));
  if (variant !== '' && variant !== 'ssh' && variant !== 'auto') return null;
  const command = typed || (await read('core.sshCommand')) || (program ? '' : 'ssh');
  return isPlainSsh(command) ? command : null;
}

/** What ssh would do for that host, '' where it isn't OpenSSH. */
function settingsOf(context: GitContext, { command, target }: Ssh): Promise<string> {
  const line = `exec ${command} -G ${target.map(shellQuote).join(' ')}`;
  const options = { cwd: context.cwd, env: environmentOf(context), timeout: 10_000 };
  return new Promise((resolve) => {
    const child = execFile('/bin/sh', ['-c', line], options, (error, stdout) =>
      resolve(error === null ? stdout : ''),
    );
    child.stdin?.end();
  });
}

/** A private folder, short enough for ssh's socket in it and plain enough for its options. */
function makeShortFolder(): string | null {
  for (const base of [tmpdir(), '/tmp']) {
    const prefix = join(base, 'flame-ssh-');
    if (Buffer.byteLength(prefix) + 6 > longestFolder || !/^[\w./-]+$/.test(prefix)) continue;
    try {
      return mkdtempSync(prefix);
    } catch {
      // The other one, or none.
    }
  }
  return null;
}

interface Master {
  readonly child: ChildProcess;
  isUp: boolean;
  /** git reached the remote through it. */
  isUsed: boolean;
  /** It can be used, or has ended. */
  readonly decided: Promise<unknown>;
  readonly ended: Promise<unknown>;
}

/** Throws where no descriptor is left. Ends when its stdin does, with the folder, so also when this process is killed; and when ssh does. */
function openMaster(context: GitContext, { command, target }: Ssh, folder: string): Master {
  const words = [...masterOptions, '-o', `ControlPath=${folder}/%C`, ...target].map(shellQuote);
  const script = [
    'exec 3<&0 </dev/null',
    `${command} ${words.join(' ')} 3<&- & master=$!`,
    `{ read -r _; rm -rf ${folder}; kill -9 $master; } <&3 3<&- >/dev/null & guard=$!`,
    'exec 3<&-',
    'wait $master',
    'kill -9 $guard',
  ].join('\n');
  const child = spawn('/bin/sh', ['-c', script], {
    cwd: context.cwd,
    env: environmentOf(context),
    stdio: ['pipe', 'pipe', 'ignore'],
    // Ctrl-C at the terminal is not for it: what is left to say goes through it.
    detached: true,
  });
  requirePipes(child);
  for (const pipe of [child.stdin, child.stdout]) pipe.on('error', () => undefined);
  holdChild(child, false);
  const ended = new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', resolve);
  });
  const up = new Promise((resolve) => child.stdout?.once('data', resolve));
  const master: Master = { child, isUp: false, isUsed: false, decided: Promise.race([up, ended]), ended };
  void up.then(() => {
    master.isUp = true;
  });
  return master;
}

function clear(folder: string): void {
  try {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
  } catch {
    // It is gone with all that was in it.
  }
}
