import {
  type Access,
  judgeName,
  judgeOutside,
  judgePath,
  judgeScope,
  type PathContext,
} from './judge-path.ts';
import { normalizeAbsolute } from './resolve-path.ts';
import { type Objection, objection } from './rules.ts';

/** An entry of the tree at a path, itself first: its path relative to that, and its kind. */
interface TreeEntry {
  readonly below: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
}

const mostEntries = 20_000;

/**
 * Judges a path with everything below it, as removing, moving and copying it all would reach it. `as`: the place
 * it gets, when that is judged instead of where it is.
 */
export function judgeTree(
  context: PathContext,
  path: string,
  options: { readonly access: Access; readonly as?: string },
): Objection | null {
  const outside = judgeOutside(context, path, options.access);
  if (outside !== null) return outside;
  const entries = listTree(context, path);
  if (entries === null)
    return objection('bash-option', `${path} holds too many files to look at. Name a smaller folder.`);
  const root = options.as ?? path;
  if (options.access !== 'read' && relativeName(context, root) === '')
    return objection('path-not-allowed', 'The top folder as a whole may not be changed. Name what is in it.');
  for (const { below, kind } of entries) {
    const found = judgeEntry(context, below === '' ? root : `${root}/${below}`, {
      kind,
      access: options.access,
      isRoot: below === '',
    });
    if (found !== null) return found;
  }
  return null;
}

function judgeEntry(
  context: PathContext,
  path: string,
  entry: { readonly kind: TreeEntry['kind']; readonly access: Access; readonly isRoot: boolean },
): Objection | null {
  const { kind, access, isRoot } = entry;
  if (kind === 'directory' && (access === 'write' || access === 'remove'))
    return judgePath(context, path, 'folder');
  if (kind !== 'symlink' || isRoot || access === 'remove') return judgePath(context, path, access);
  // The link itself goes, not what it leads to.
  const name = relativeName(context, path);
  if (name === null) return judgePath(context, path, access);
  return (
    judgeName(context.policy, name, access) ?? (access === 'read' ? null : judgeScope(context.policy, name))
  );
}

/** The path below the worktree, '' for its top; null outside. */
function relativeName({ policy, cwd }: PathContext, path: string): string | null {
  const absolute = normalizeAbsolute(path.startsWith('/') ? path : `${cwd}/${path}`);
  if (absolute === policy.worktree) return '';
  return absolute.startsWith(`${policy.worktree}/`) ? absolute.slice(policy.worktree.length + 1) : null;
}

/** Everything below a path, itself first; null: more than anybody would want to wait for. */
export function listTree(
  { facts, cwd }: PathContext,
  path: string,
  options: { readonly skips?: (name: string) => boolean } = {},
): readonly TreeEntry[] | null {
  const root = path.startsWith('/') ? path : `${cwd}/${path}`;
  const found: TreeEntry[] = [{ below: '', kind: facts.lstat(root)?.kind ?? 'file' }];
  for (let at = 0; at < found.length; at += 1) {
    const { below = '', kind } = found[at] ?? {};
    if (kind !== 'directory') continue;
    const folder = below === '' ? root : `${root}/${below}`;
    for (const name of facts.list(folder) ?? []) {
      if (options.skips?.(name) === true) continue;
      const child = facts.lstat(`${folder}/${name}`)?.kind ?? 'file';
      found.push({ below: below === '' ? name : `${below}/${name}`, kind: child });
    }
    if (found.length > mostEntries) return null;
  }
  return found;
}
