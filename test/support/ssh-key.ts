import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir, type TestRepo } from './repo.ts';

export interface SshKey {
  /** Of the private key. */
  readonly file: string;
  /** Type and base64, as a line of allowed_signers has them. */
  readonly key: string;
}

/** Whether keys can be made here, and git can sign by them. */
export const hasSshKeys = spawnSync('ssh-keygen', ['-?']).error === undefined;

/** A key pair of its own, without a passphrase; an empty one where none can be made. */
export function makeSshKey(): SshKey {
  const file = join(makeTempDir('flame-key'), 'id');
  if (!hasSshKeys) return { file, key: '' };
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file]);
  return { file, key: readFileSync(`${file}.pub`, 'utf8').trim() };
}

/** Has git sign by this key in a repository. */
export function signWith({ git }: Pick<TestRepo, 'git'>, { file }: SshKey): void {
  git('config', 'gpg.format', 'ssh');
  git('config', 'user.signingKey', file);
}
