import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AllowedSigner, parseAllowedSigner } from '../../domain/config/allowed-signers.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import { programPath } from '../../util/child-programs.ts';
import { buildCleanGitEnvironment } from './limit-git-runs.ts';
import type { GitContext } from './run-git.ts';
import {
  readOneGitSetting,
  requireProgramOutsideTrees,
  requireSafeSigningProgram,
  signingFailedError,
} from './signing-programs.ts';

const verifier = 'ssh-keygen';

/** Text with the signature over it, and what it was made for. */
interface SignedText {
  readonly text: string;
  readonly signature: string;
  readonly namespace: string;
}

/** Who may have signed, and at which moment their keys have to be valid. */
interface Signers {
  readonly signers: readonly AllowedSigner[];
  readonly at: Date;
}

/**
 * Signs text as git would sign a commit: by the program and key of `gpg.ssh.program` and `user.signingKey`. Returns
 * the armored signature. Throws FlameErrors `signing-failed`, and `signing-untrusted` where the program lies in the repository.
 */
export async function signTextAsGitWould(context: GitContext, text: string, namespace: string): Promise<string> {
  const format = await readOneGitSetting(context, 'gpg.format');
  if (format !== 'ssh') throw cannotSign('gpg.format is not ssh', ['git config gpg.format ssh']);
  const named = await readOneGitSetting(context, 'user.signingKey');
  if (named === null)
    throw cannotSign('user.signingKey names no key', ['git config user.signingKey ~/.ssh/id_ed25519.pub']);
  await requireSafeSigningProgram(context);
  const program = (await readOneGitSetting(context, 'gpg.ssh.program', '--type=path')) ?? verifier;
  return withFolder(async (folder) => {
    const key = await keyFile(context, named, folder);
    const result = await run(context, program, ['-Y', 'sign', '-n', namespace, '-f', key], text);
    if (result.code === 0 && result.stdout.startsWith('-----BEGIN SSH SIGNATURE-----')) return result.stdout;
    throw cannotSign(result.stderr.split('\n')[0] ?? `${program} ended with ${result.code}`, []);
  });
}

/** Requires that what verifies lies outside the repository, before anything is verified. Throws FlameError `signing-untrusted`. */
export function requireSafeVerifyingProgram(context: GitContext): Promise<void> {
  return requireProgramOutsideTrees(context, verifier);
}

/** Whether one of the signers, valid at that moment, signed exactly this for `principal`. */
export async function isTextSignedByPrincipal(
  context: GitContext,
  signed: SignedText,
  { principal, signers, at }: Signers & { readonly principal: string },
): Promise<boolean> {
  return withFolder(async (folder) => {
    const [allowed, signature] = [join(folder, 'allowed'), join(folder, 'signature')];
    writeFileSync(allowed, signers.map(renderSigner).join(''), { mode: 0o600 });
    writeFileSync(signature, signed.signature, { mode: 0o600 });
    const time = `-Overify-time=${at.toISOString().slice(0, 19).replace(/[-:T]/g, '')}`;
    const args = ['-Y', 'verify', '-n', signed.namespace, '-f', allowed, '-I', principal, '-s', signature, time];
    return (await run(context, verifier, args, signed.text)).code === 0;
  });
}

/** Whether a signature is one over exactly this text, no matter who made it. */
export async function isSignatureOverText(context: GitContext, signed: SignedText): Promise<boolean> {
  return withFolder(async (folder) => {
    const signature = join(folder, 'signature');
    writeFileSync(signature, signed.signature, { mode: 0o600 });
    const args = ['-Y', 'check-novalidate', '-n', signed.namespace, '-s', signature];
    return (await run(context, verifier, args, signed.text)).code === 0;
  });
}

function renderSigner({ principals, options, key }: AllowedSigner): string {
  return `${[principals, options, key].filter((part) => part !== '').join(' ')}\n`;
}

/** git takes a key itself, too, where its file is expected. */
async function keyFile(context: GitContext, named: string, folder: string): Promise<string> {
  const literal = named.replace(/^key::/, '');
  if (parseAllowedSigner(`git ${literal}`) === null)
    return (await readOneGitSetting(context, 'user.signingKey', '--type=path')) ?? named;
  const file = join(folder, 'key.pub');
  writeFileSync(file, `${literal}\n`, { mode: 0o600 });
  return file;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Times in UTC, wherever this machine is: a key is valid at the same moment in every clone. */
async function run(context: GitContext, program: string, args: readonly string[], input: string): Promise<Ended> {
  const { execa } = await import('execa');
  const path = program.includes('/') ? program : programPath(program, context.env.PATH);
  const ended = await execa(path, args, {
    cwd: context.cwd,
    env: { ...buildCleanGitEnvironment(context.env), TZ: 'UTC' },
    extendEnv: false,
    input,
    detached: true,
    reject: false,
    stripFinalNewline: false,
  });
  const { exitCode, signal, stdout, stderr, originalMessage } = ended;
  if (exitCode === undefined && signal === undefined)
    return { code: 127, stdout: '', stderr: `${program} could not be started: ${originalMessage}` };
  return { code: exitCode ?? 128, stdout, stderr: stderr.trim() };
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'flame-signature-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function cannotSign(why: string, hints: readonly string[]): FlameError {
  return signingFailedError(
    `Your decisions could not be signed, although trust.sign requires it, so nothing was sent: ${why}.`,
    { hints: [...hints, 'git flame sync'] },
  );
}
