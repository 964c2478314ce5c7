import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellQuote } from '../../util/shell-quote.ts';
import { readGitSettings } from './git-settings.ts';
import { buildBoundGitEnvironment } from './limit-git-runs.ts';
import { type GitContext, runGitForText } from './run-git.ts';

// The first ssh leaves a connection that the next ones use. One that is dead is found within 15 s, and one that is not used
// ends after a minute.
const remoteSession = [
  'ControlMaster=auto',
  'ControlPersist=60',
  'ConnectTimeout=10',
  'ServerAliveInterval=5',
  'ServerAliveCountMax=2',
];
// ssh binds `<folder>/<40 digits>.<16 letters>`, and sun_path holds 108 bytes with its final zero.
const longestFolder = 107 - 58;
// Older ones hold on to the error output of the git that started them.
const oldest = 8.6;

/**
 * Returns a git whose commands to that remote share one connection of OpenSSH (see ControlMaster in ssh_config(5)).
 * Unchanged where git does not call OpenSSH plainly, or the person's settings for the host define sharing.
 */
export async function shareSshConnection(context: GitContext, remote: string): Promise<GitContext> {
  const url = await runGitForText(context, ['ls-remote', '--get-url', remote], { accept: [0, 2, 128] });
  const target = parseSshTarget(url);
  if (target === null) return context;
  const command = await sshCommand(context);
  if (!isPlainSsh(command) || !maySshShareConnection(await describeSsh(context, command, target))) return context;
  const folder = socketFolder(context.env.XDG_RUNTIME_DIR ?? '');
  if (folder === null) return context;
  const options = [...remoteSession, `ControlPath=${folder}/%C`].map((option) => `-o ${option}`).join(' ');
  return { ...context, env: { ...context.env, GIT_SSH_COMMAND: `${command} ${options}` } };
}

const name = '(?:[A-Za-z0-9_.][\\w.+-]*@)?[A-Za-z0-9_.][\\w.-]*';
const asUrl = new RegExp(`^(?:ssh|git\\+ssh|ssh\\+git)://(${name})(?::(\\d+))?/`);
const asPath = new RegExp(`^(${name}):(?!:|//)`);

/** Words by which ssh is asked for the host of a URL; null: another program reaches it, or it is an IPv6 address. */
export function parseSshTarget(url: string): readonly string[] | null {
  const [, place, port] = url.match(asUrl) ?? url.match(asPath) ?? [];
  if (place === undefined) return null;
  return port === undefined ? [place] : ['-p', port, place];
}

/** By git's order: GIT_SSH_COMMAND, core.sshCommand, GIT_SSH, ssh. '': not plainly OpenSSH. */
async function sshCommand(context: GitContext): Promise<string> {
  const { GIT_SSH_COMMAND: typed, GIT_SSH: program, GIT_SSH_VARIANT: kind } = context.env;
  const settings = await readGitSettings(context);
  const variant = kind || settings.value('ssh.variant') || 'auto';
  if (variant !== 'ssh' && variant !== 'auto') return '';
  return typed || settings.value('core.sshcommand') || (program ? '' : 'ssh');
}

/** Whether a command, which git hands to a shell, is ssh with options to which more can be added. */
export function isPlainSsh(command: string): boolean {
  const [program = '', ...words] = command.trim().split(/\s+/);
  const isSafe = /^(?:[\w\s./@:=,+%~-]|'[^'\n]*'|"[^"\n$`\\]*")*$/.test(command) && !command.includes('\n');
  const sharesItself = /\s-S|[Cc]ontrol(?:[Pp]ath|[Mm]aster)/.test(command);
  return isSafe && /^(?:[\w./+-]*\/)?ssh$/.test(program) && !words.includes('--') && !sharesItself;
}

/** Its version, and what it would do for that host; '' where it can't say. */
async function describeSsh(context: GitContext, command: string, target: readonly string[]): Promise<string> {
  const line = `${command} -V 2>&1 && exec ${command} -G ${target.map(shellQuote).join(' ')}`;
  const { execa } = await import('execa');
  const { exitCode, stdout } = await execa('/bin/sh', ['-c', line], {
    cwd: context.cwd,
    env: buildBoundGitEnvironment(context),
    extendEnv: false,
    stdin: 'ignore',
    timeout: 10_000,
    reject: false,
  });
  return exitCode === 0 ? stdout : '';
}

/** Whether that ssh shares no connection to the host yet, and runs nothing beside. */
export function maySshShareConnection(description: string): boolean {
  const [, version = '0'] = /^OpenSSH_(\d+\.\d+)/.exec(description) ?? [];
  const all = new Map(description.split('\n').map((row): [string, string] => [row.split(' ')[0] ?? '', row]));
  const isPlain = [undefined, 'controlmaster false', 'controlmaster no'].includes(all.get('controlmaster'));
  const isFree = !['controlpath', 'localcommand', 'remotecommand'].some((key) => all.has(key));
  return Number(version) >= oldest && all.has('hostname') && isPlain && isFree;
}

/** A folder of this user alone, the same for all runs; null: none is short and plain enough, or private. */
function socketFolder(runtimeDir: string): string | null {
  const uid = process.getuid?.() ?? -1;
  for (const base of [runtimeDir, tmpdir(), '/tmp']) {
    const folder = join(base, `git-flame-ssh-${uid}`);
    if (!/^\/[\w./-]+$/.test(folder) || Buffer.byteLength(folder) > longestFolder) continue;
    try {
      mkdirSync(folder, { mode: 0o700, recursive: true });
      const facts = lstatSync(folder);
      if (facts.isDirectory() && facts.uid === uid && (facts.mode & 0o077) === 0) return folder;
    } catch {
      // The next one, or none.
    }
  }
  return null;
}
