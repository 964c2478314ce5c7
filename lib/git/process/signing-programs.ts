import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { FlameError, type FlameErrorInit } from '../../domain/flame-error.ts';
import { isSameOrBelowFolder, realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import { listWorktrees } from './discover-repository.ts';
import { type GitContext, runGit } from './run-git.ts';

/** The programs git starts for a signature, by the format of signatures. */
const formats: Readonly<Record<string, { readonly keys: readonly string[]; readonly usual: string }>> = {
  openpgp: { keys: ['gpg.program', 'gpg.openpgp.program'], usual: 'gpg' },
  x509: { keys: ['gpg.x509.program'], usual: 'gpgsm' },
  ssh: { keys: ['gpg.ssh.program'], usual: 'ssh-keygen' },
};

const keyCommand = 'gpg.ssh.defaultKeyCommand';

interface Starts {
  /** The setting that names it; null for git's own choice. */
  readonly key: string | null;
  readonly words: readonly string[];
}

/**
 * Requires that what signs lies outside every work tree of the repository, also by links: an agent could
 * have written it. The context is the work tree git would sign in. Throws FlameError `signing-untrusted`.
 */
export async function requireSafeSigningProgram(context: GitContext): Promise<void> {
  await requireOutside(context, await signersOf(context));
}

/** Requires that a program found by PATH lies outside every work tree. Throws FlameError `signing-untrusted`. */
export async function requireProgramOutsideTrees(context: GitContext, name: string): Promise<void> {
  await requireOutside(context, [{ key: null, words: [name] }]);
}

async function requireOutside(context: GitContext, starts: readonly Starts[]): Promise<void> {
  const trees = await workTreesOf(context);
  for (const { key, words } of starts)
    for (const word of words) {
      const path = placesOf(context, word).find(isFile);
      if (path !== undefined && isIn(trees, path)) throw signsInside(key, path);
    }
}

async function workTreesOf(context: GitContext): Promise<readonly string[]> {
  const known = (await listWorktrees(context)).filter(({ isBare }) => !isBare).map(({ path }) => path);
  return [...new Set([context.cwd, ...known].flatMap((path) => [path, realPathEvenIfMissing(path)]))];
}

async function signersOf(context: GitContext): Promise<readonly Starts[]> {
  const format = (await readOneGitSetting(context, 'gpg.format')) ?? 'openpgp';
  const { keys, usual } = formats[format] ?? { keys: [], usual: format };
  const named = await Promise.all(keys.map((key) => signerOf(context, key)));
  const starts = named.flat();
  const programs = starts.length === 0 ? [{ key: null, words: [usual] }] : starts;
  return format === 'ssh' ? [...programs, ...(await keyCommandOf(context))] : programs;
}

async function signerOf(context: GitContext, key: string): Promise<readonly Starts[]> {
  const program = await readOneGitSetting(context, key, '--type=path');
  return program === null ? [] : [{ key, words: [program] }];
}

/** A command with its words: each of them can be what is run, as in `sh key.sh`. */
async function keyCommandOf(context: GitContext): Promise<readonly Starts[]> {
  const command = await readOneGitSetting(context, keyCommand);
  return command === null ? [] : [{ key: keyCommand, words: command.split(/[\s"'`;&|<>()=]+/) }];
}

/** One value of git's configuration; null where there is none. */
export async function readOneGitSetting(context: GitContext, key: string, ...type: string[]): Promise<string | null> {
  const args = ['config', ...type, '-z', '--get', key];
  const { exitCode, stdout } = await runGit(context, args, { accept: [0, 1, 128] });
  return exitCode === 0 ? stdout.toString().replace(/\0$/, '') : null;
}

/** Where a program's name leads from a work tree: a name without a folder is looked up in PATH, as it stands there. */
function placesOf({ cwd, env }: GitContext, word: string): readonly string[] {
  if (word === '') return [];
  const here = resolve(cwd, word);
  if (word.includes('/')) return [here];
  return [...(env.PATH ?? '').split(':').map((folder) => resolve(cwd, folder, word)), here];
}

function isIn(trees: readonly string[], path: string): boolean {
  return [path, realPathEvenIfMissing(path)].some((place) => trees.some((tree) => isSameOrBelowFolder(place, tree)));
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function signsInside(key: string | null, path: string): FlameError {
  const mends = key === null ? [] : [`git config --unset-all ${key}`];
  return new FlameError({
    kind: 'refused',
    code: 'signing-untrusted',
    message: `The program that makes signatures here, ${path}, lies inside the repository. An agent could have written it, so it was not run and nothing was signed.`,
    details: [
      key === null
        ? 'It comes first in PATH.'
        : `${key} names it. Name a program outside the repository, or unset it for git's default.`,
    ],
    hints: [...mends, 'git config commit.gpgSign false', 'git flame review'],
  });
}

/** A signature that was asked for could not be made. `message` says what did not happen then. */
export function signingFailedError(message: string, init: Pick<FlameErrorInit, 'details' | 'hints'>): FlameError {
  return new FlameError({ ...init, kind: 'refused', code: 'signing-failed', message });
}
