import {
  type Access,
  judgeOutsidePath,
  judgePath,
  judgePathByName,
  judgePathInScope,
  type PathContext,
} from '../judge-path.ts';
import { createObjection, type PolicyObjection } from '../policy-rules.ts';
import { normalizeAbsolute } from '../resolve-path.ts';
import { standardStreamPattern } from './judge-mentioned-paths.ts';
import { findFirstObjection, type ProgramCall } from './program-call.ts';
import { unknownTextMarks } from './shell-command-types.ts';

const simple: Readonly<Record<string, Access>> = {
  mkdir: 'folder',
  rmdir: 'folder',
  touch: 'write',
  truncate: 'write',
  tee: 'write',
  chmod: 'write',
  rm: 'remove',
  unlink: 'remove',
};
const valued: Readonly<Record<string, RegExp>> = {
  mkdir: /^-m$/,
  touch: /^-[dtr]$/,
  truncate: /^-[sr]$/,
  cp: /^-S$/,
  mv: /^-S$/,
  sed: /^-[nErsuz]*e$|^--expression$/,
};
const never = /^(?!)/;

/** Whether all it is given is changed, and nothing of it read. */
export function isWriteOnly(family: string): boolean {
  return Object.hasOwn(simple, family) && family !== 'tee';
}

/** Whether it is given files to change. */
export function isFileChangingProgram(name: string): boolean {
  return Object.hasOwn(simple, name) || /^(?:cp|mv|sed|git|xargs|find)$/.test(name);
}

/** Judges the files that a program which changes files is given to change; what others change the post-check sees. */
export function judgeFilesToChange(call: ProgramCall): PolicyObjection | null {
  const { family, context, args } = call;
  const operands = operandsOf(args, valued[family] ?? never);
  const access = simple[family];
  if (access !== undefined) {
    const files = family === 'chmod' ? operands.slice(1) : operands;
    return findFirstObjection(files, (file) => judgeChangedPath(context, file, access));
  }
  if (family === 'cp' || family === 'mv') return judgeTransfer(call, operands);
  const isInPlace = family === 'sed' && args.some((arg) => /^-[nErsuz]*i|^--in-place/.test(arg));
  if (isInPlace) {
    const files = args.some((arg) => /^-[nErsuz]*e|^--expression/.test(arg))
      ? operands
      : operands.filter((one) => one !== '').slice(1);
    return findFirstObjection(files, (file) => judgeChangedPath(context, file, 'write'));
  }
  if (family !== 'sort' && family !== 'tree') return null;
  const at = args.findIndex((arg) => /^-[a-zA-Z]*o$/.test(arg));
  const attached = args.flatMap((arg) => /^(?:-[bdfgiMnrRsuVzcCm]*o|--output=)(.+)$/s.exec(arg)?.[1] ?? []);
  return findFirstObjection([...attached, ...(at < 0 ? [] : [args[at + 1] ?? ''])], (file) =>
    judgeChangedPath(context, file, 'write'),
  );
}

function operandsOf(args: readonly string[], takesValue: RegExp): readonly string[] {
  const end = args.indexOf('--');
  const before = (end < 0 ? args : args.slice(0, end)).filter(
    (arg, at, all) => !/^-./.test(arg) && !takesValue.test(all[at - 1] ?? ''),
  );
  return end < 0 ? before : [...before, ...args.slice(end + 1)];
}

/** Judges one path that is changed. What only bash will know is left to the post-check, unless it would be removed. */
export function judgeChangedPath(context: PathContext, path: string, access: Access): PolicyObjection | null {
  if (standardStreamPattern.test(path) || path === '') return null;
  const known = unknownTextMarks.filled(path);
  if (
    path === unknownTextMarks.names ||
    unknownTextMarks.isIn(known) ||
    (context.isLost === true && !path.startsWith('/'))
  ) {
    return access === 'remove' && path !== unknownTextMarks.names
      ? createObjection('bash-dynamic', 'Name what you remove, or let find, ls, git ls-files or grep -l find it.')
      : null;
  }
  const outside = judgeOutsidePath(context, known, access);
  if (outside !== null) return outside;
  const place = known.startsWith('/') ? known : `${context.cwd}/${known}`;
  const isAbsent = access === 'remove' && known === path && context.facts.lstat(place) === null;
  if (isAbsent) return judgePath(context, known, 'read');
  return context.facts.list(place) !== null && access !== 'folder'
    ? judgeTree(context, known, { access })
    : judgePath(context, known, access);
}

/** Of a link what it leads to counts, too: under its new name the rest of the line could go there unjudged. */
function judgeTransfer({ family, context, args }: ProgramCall, operands: readonly string[]): PolicyObjection | null {
  const flag = args.findIndex((arg) => /^-[a-zA-Z]*t$|^--target-directory$/.test(arg));
  const attached = args.flatMap((arg) => /^--target-directory=(.+)$/s.exec(arg)?.[1] ?? [])[0];
  const target = attached ?? (flag < 0 ? operands.at(-1) : args[flag + 1]) ?? '.';
  const sources = operands.filter(
    (one, at) => one !== target || (flag < 0 && attached === undefined && at < operands.length - 1),
  );
  const { facts, cwd } = context;
  const place = unknownTextMarks.filled(target);
  if (args.some((arg) => /^-(?!-)[a-zA-Z]*[sl]|^--(?:symbolic-)?link/.test(arg)))
    return createObjection('bash-option', 'A link can make one path stand for another. Copy the file instead.');
  const isFolder = place.endsWith('/') || facts.list(place.startsWith('/') ? place : `${cwd}/${place}`) !== null;
  return (
    findFirstObjection(sources, (path) => {
      if (unknownTextMarks.isIn(path)) return family === 'mv' ? judgeChangedPath(context, path, 'write') : null;
      const from = judgeTree(context, path, { access: family === 'mv' ? 'write' : 'read' });
      if (from !== null || unknownTextMarks.isIn(place) || target === unknownTextMarks.names) return from;
      const name =
        path
          .split('/')
          .filter((part) => part !== '')
          .at(-1) ?? '';
      return judgeTree(context, path, { access: 'write', as: isFolder ? `${place}/${name}` : place });
    }) ??
    (sources.some(unknownTextMarks.isIn) ? judgeChangedPath(context, isFolder ? `${place}/x` : place, 'write') : null)
  );
}

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
function judgeTree(
  context: PathContext,
  path: string,
  options: { readonly access: Access; readonly as?: string },
): PolicyObjection | null {
  const outside = judgeOutsidePath(context, path, options.access);
  if (outside !== null) return outside;
  const entries = listEntriesBelowPath(context, path);
  if (entries === null)
    return createObjection('bash-option', `${path} contains too many files to check. Name a smaller folder.`);
  const root = options.as ?? path;
  if (options.access !== 'read' && relativeName(context, root) === '')
    return createObjection('path-not-allowed', 'The top folder may not be changed as a whole. Name the files in it.');
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
): PolicyObjection | null {
  const { kind, access, isRoot } = entry;
  if (kind === 'directory' && (access === 'write' || access === 'remove')) return judgePath(context, path, 'folder');
  if (kind !== 'symlink' || isRoot || access === 'remove') return judgePath(context, path, access);
  // The link itself goes, not what it leads to.
  const name = relativeName(context, path);
  if (name === null) return judgePath(context, path, access);
  return (
    judgePathByName(context.policy, name, access) ?? (access === 'read' ? null : judgePathInScope(context.policy, name))
  );
}

/** The path below the worktree, '' for its top; null outside. */
function relativeName({ policy, cwd }: PathContext, path: string): string | null {
  const absolute = normalizeAbsolute(path.startsWith('/') ? path : `${cwd}/${path}`);
  if (absolute === policy.worktree) return '';
  return absolute.startsWith(`${policy.worktree}/`) ? absolute.slice(policy.worktree.length + 1) : null;
}

/** Everything below a path, itself first; null: more than anybody would want to wait for. */
function listEntriesBelowPath({ facts, cwd }: PathContext, path: string): readonly TreeEntry[] | null {
  const root = path.startsWith('/') ? path : `${cwd}/${path}`;
  const found: TreeEntry[] = [{ below: '', kind: facts.lstat(root)?.kind ?? 'file' }];
  for (let at = 0; at < found.length; at += 1) {
    const { below = '', kind } = found[at] ?? {};
    if (kind !== 'directory') continue;
    const folder = below === '' ? root : `${root}/${below}`;
    for (const name of facts.list(folder) ?? []) {
      const child = facts.lstat(`${folder}/${name}`)?.kind ?? 'file';
      found.push({ below: below === '' ? name : `${below}/${name}`, kind: child });
    }
    if (found.length > mostEntries) return null;
  }
  return found;
}
