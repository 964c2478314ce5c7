import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGitSettings } from './git-settings.ts';
import { buildBoundGitEnvironment } from './limit-git-runs.ts';
import type { GitContext } from './run-git.ts';

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
 * Returns a git whose commands to one host share a connection of OpenSSH (see ControlMaster in ssh_config(5)). Unchanged
 * where git does not call a recent OpenSSH plainly.
 */
export async function shareSshConnection(context: GitContext): Promise<GitContext> {
  const command = await sshCommand(context);
  if (!isPlainSsh(command) || (await readSshVersion(context, command)) < oldest) return context;
  const folder = socketFolder(context.env.XDG_RUNTIME_DIR ?? '');
  if (folder === null) return context;
  const options = [...remoteSession, `ControlPath=${folder}/%C`].map((option) => `-o ${option}`).join(' ');
  return { ...context, env: { ...context.env, GIT_SSH_COMMAND: `${command} ${options}` } };
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

/** 0 where it is no OpenSSH. */
async function readSshVersion(context: GitContext, command: string): Promise<number> {
  const { execa } = await import('execa');
  const { stderr } = await execa('/bin/sh', ['-c', `${command} -V`], {
    cwd: context.cwd,
    env: buildBoundGitEnvironment(context),
    extendEnv: false,
    stdin: 'ignore',
    timeout: 10_000,
    reject: false,
  });
  return Number(/^OpenSSH_(\d+\.\d+)/m.exec(stderr)?.[1] ?? 0);
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
