import { hash } from 'node:crypto';
import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { FlameError } from '../../domain/flame-error.ts';
import type { Permission, TrustChange, TrustItem } from '../../domain/state/repository-trust.ts';
import { parseJsonRecord } from '../../util/json.ts';
import { listNamesIn, listPathsIn } from '../../util/read-file.ts';
import { isSameOrBelowFolder, realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import { cloneStateDir, userStateDir } from '../../util/user-folders.ts';
import { replaceFile } from '../../util/write-files.ts';
import type { RepositoryContent } from './repository-content.ts';

/** The person of a permission, and the configuration and clone that it is for. */
export interface PermissionPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly commonDir: string;
  /** The work tree the configuration belongs to. */
  readonly root: string;
  /** null: there is no configuration file. */
  readonly config: string | null;
}

const folderName = 'allowed';
// Longer texts are compared by their digest alone.
const longestKept = 65_536;

const permissionSchema = z.object({
  repository: z.string(),
  root: z.string(),
  config: z.string().nullable(),
  digest: z.string(),
  allowed_at: z.string(),
  items: z.array(
    z.object({
      kind: z.enum(['command', 'setting', 'template', 'file']),
      where: z.string(),
      sha256: z.string(),
      words: z.string().nullable(),
    }),
  ),
});

/** Reads the permission for this configuration of this clone; null: none was given. */
export function readPermission(place: PermissionPlace): Permission | null {
  return readRecord(fileOf(place));
}

/** Whether exactly this was allowed; content that runs nothing needs no permission. */
export function isContentAllowed(content: RepositoryContent, permission: Permission | null): boolean {
  return content.items.length === 0 || permission?.digest === content.digest;
}

/** Keeps a permission, in place of the former one. Throws a FlameError `trust-not-kept` or `trust-in-repository`. */
export function savePermission(place: PermissionPlace, content: RepositoryContent, now: Date): Permission {
  const file = fileOf(place);
  const { commonDir, root, config, env } = place;
  if (
    [root, commonDir].some((folder) => isSameOrBelowFolder(realPathEvenIfMissing(file), realPathEvenIfMissing(folder)))
  )
    throw inRepository(file);
  const permission: Permission = {
    repository: realPathEvenIfMissing(commonDir),
    root,
    config,
    digest: content.digest,
    allowed_at: now.toISOString(),
    items: content.items.map(({ kind, where, sha256, words }) => ({
      kind,
      where,
      sha256,
      words: words !== null && words.length <= longestKept ? words : null,
    })),
  };
  try {
    makePrivateFolder(dirname(file), userStateDir(env));
    replaceFile(file, `${JSON.stringify(permission, null, 2)}\n`, 0o600);
  } catch (cause) {
    throw notKept(dirname(file), cause);
  }
  return permission;
}

/** Everything this user allowed on this machine, the latest first. */
export function listPermissions(env: PermissionPlace['env']): readonly Permission[] {
  return listPathsIn(join(userStateDir(env), 'clones'))
    .flatMap((clone) => listPathsIn(join(clone, folderName)))
    .map(readRecord)
    .filter((permission) => permission !== null)
    .sort((a, b) => (a.allowed_at < b.allowed_at ? 1 : -1));
}

/** Has what was allowed for a repository, in this folder of its clone, hold where the repository was moved to. */
export function movePermissions(clone: string, from: string, to: string): void {
  const folder = join(clone, folderName);
  const [before, now] = [from, to].map((path) => path.replace(/\/\.git$/, '')) as [string, string];
  const moved = (path: string): string =>
    isSameOrBelowFolder(path, before) ? join(now, relative(before, path)) : path;
  for (const name of listNamesIn(folder)) {
    const permission = readRecord(join(folder, name));
    if (permission === null) continue;
    const { root, config } = permission;
    const next = { ...permission, repository: to, root: moved(root), config: config && moved(config) };
    replaceFile(join(folder, recordName(next.config)), `${JSON.stringify(next, null, 2)}\n`, 0o600);
    if (recordName(next.config) !== name) rmSync(join(folder, name));
  }
}

/** Takes a permission back. Throws a FlameError `trust-not-kept` where that can't be written. */
export function revokePermission({ config, repository }: Permission, env: PermissionPlace['env']): void {
  for (const clone of listPathsIn(join(userStateDir(env), 'clones'))) {
    const file = join(clone, folderName, recordName(config));
    if (readRecord(file)?.repository !== repository) continue;
    try {
      rmSync(file);
    } catch (cause) {
      throw notKept(dirname(file), cause);
    }
  }
}

/** Compares the content that asks for permission with what was allowed before. */
export function compareContent(permission: Permission | null, items: readonly TrustItem[]): readonly TrustChange[] {
  return items.map((item) => {
    const before = permission?.items.find(({ kind, where }) => kind === item.kind && where === item.where);
    if (before === undefined) return { item, change: 'new', before: null };
    const change = before.sha256 === item.sha256 ? 'same' : 'changed';
    return { item, change, before: before.words };
  });
}

function fileOf({ env, commonDir, config }: PermissionPlace): string {
  return join(cloneStateDir(env, commonDir), folderName, recordName(config));
}

function recordName(config: string | null): string {
  return `${hash('sha256', config ?? '').slice(0, 16)}.json`;
}

/** Only what this user wrote, and no other can write, is this user's word. */
function readRecord(file: string): Permission | null {
  try {
    const handle = openSync(file, 'r');
    try {
      const { uid, mode } = fstatSync(handle);
      if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return null;
      return permissionSchema.safeParse(parseJsonRecord(readFileSync(handle, 'utf8'))).data ?? null;
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}

function makePrivateFolder(folder: string, top: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let at = folder; isSameOrBelowFolder(at, top); at = dirname(at)) chmodSync(at, 0o700);
}

function notKept(folder: string, cause: unknown): FlameError {
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new FlameError({
    kind: 'environment',
    code: 'trust-not-kept',
    message: `Your permissions can't be saved in ${folder}: ${reason}.`,
    hints: ['XDG_STATE_HOME=<a folder of yours that you can write> git flame trust'],
    cause,
    data: { folder },
  });
}

function inRepository(file: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'trust-in-repository',
    message: `Your permissions would be saved in ${file}, inside the repository they are about, where the repository's own files could grant them.`,
    hints: ['XDG_STATE_HOME=<a folder of yours outside the repository> git flame trust'],
    data: { file },
  });
}
