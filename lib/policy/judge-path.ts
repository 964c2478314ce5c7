import type { AgentPolicy, PathFacts } from '../domain/agent-policy.ts';
import { foldNameForComparison, globMatchesPath, locksConflict, shellGlobMatchesPath } from '../util/path-globs.ts';
import { createObjection, joinFirstItems, type PolicyObjection } from './policy-rules.ts';
import { findProtectedPlace } from './protected-places.ts';
import { type ResolvedPath, resolvePath } from './resolve-path.ts';

/**
 * read: look at it · write: create or change it · remove: take it away, a link and not what it leads to · folder: make
 * or remove a folder on the way to what may be written · stage: put it into a commit (its content was judged when it
 * was written).
 */
export type Access = 'read' | 'write' | 'remove' | 'folder' | 'stage';

export interface PathContext {
  readonly policy: AgentPolicy;
  readonly facts: PathFacts;
  readonly cwd: string;
  /** A command changed the folder to one that only bash will know. */
  readonly isLost?: boolean;
}

/** Judges one path of a tool call or command; null: nothing against it. */
export function judgePath(context: PathContext, path: string, access: Access): PolicyObjection | null {
  const { policy } = context;
  const found = resolvePathInContext(context, path, access);
  if ('kind' in found && found.kind === 'extra') return null;
  if (access !== 'read' && !policy.can_write) return readOnly(policy);
  if ('rule' in found) return found;
  return judgeKind(found, path, access) ?? judgeInside(policy, found, access) ?? judgeBelow(found, path, access);
}

/** Judges a path that leads to no place a call may name, without a look at the file there; null: it leads to one. */
export function judgeOutsidePath(context: PathContext, path: string, access: Access): PolicyObjection | null {
  return 'rule' in resolvePathInContext(context, path, access) ? judgePath(context, path, access) : null;
}

/** Follows a path from where the call is made; it may lead to the worktree, and to the agent's temporary folders. */
export function resolvePathInContext(
  { policy: { worktree, extra_writable: extra = [] }, facts, cwd }: PathContext,
  path: string,
  access: Access,
): ResolvedPath | PolicyObjection {
  return resolvePath({ path, cwd, worktree, extra, facts, isLinkItself: access === 'remove' });
}

/** The rules on a path of the repository that need no file system: the post-check asks them too. */
export function judgePathByName(policy: AgentPolicy, path: string, access: Access = 'write'): PolicyObjection | null {
  const place = findProtectedPlace(policy, path);
  if (place !== null) {
    const named = place.name === path ? path : `${path} is out of bounds: ${place.name}`;
    return createObjection(
      'path-protected',
      `${named} ${place.why}.`,
      'Leave it unchanged, and work on the files of your task.',
    );
  }
  const hidden = policy.hidden_paths.find((glob) => isPathBlockedByGlob(glob, path));
  if (hidden !== undefined) {
    return createObjection(
      'path-hidden',
      `${path} is hidden from agents (permissions.hidden_paths: ${hidden}).`,
      'Do the task without it: read variable names from an example file, and use your own values in tests.',
    );
  }
  const blocked = access === 'read' ? undefined : policy.blocked_paths.find((glob) => isPathBlockedByGlob(glob, path));
  if (blocked === undefined) return null;
  return createObjection(
    'path-blocked',
    `Agents may read ${path} but not change it (permissions.blocked_paths: ${blocked}).`,
    'Do the task without changing it. If that is impossible, report it in your answer.',
  );
}

/** Judges whether the allowed globs and the locks let a path be written; null: they do. */
export function judgePathInScope(policy: AgentPolicy, path: string): PolicyObjection | null {
  if (!policy.allowed_paths.some((glob) => globMatchesPath(glob, path, policy.literal_paths))) {
    return createObjection(
      'path-not-allowed',
      `${path || 'The top folder'} may not be written. Writable are: ${joinFirstItems(policy.allowed_paths)}.`,
    );
  }
  if (isPathLockedByTask(policy, path)) return null;
  return createObjection(
    'path-out-of-scope',
    `${path || 'The top folder'} is not in the locks of this task, and another task may be changing it. The locks are: ${joinFirstItems(policy.file_locks ?? [])}.`,
    'Change only those, or report in your answer which file is missing.',
  );
}

/** Whether the locks of a task name a path; true of any path where scope is not enforced. */
export function isPathLockedByTask({ file_locks: locks, literal_paths: present }: AgentPolicy, path: string): boolean {
  return locks === null || locks.some((lock) => globMatchesPath(lock, path, present));
}

/** Git reads .gitattributes and .gitmodules in any folder and acts on them; null if an explicit lock names the file. */
export function judgeGitAttributesFile(policy: AgentPolicy, path: string): PolicyObjection | null {
  if (!/(?:^|\/)\.git(?:attributes|modules)$/.test(foldNameForComparison(path))) return null;
  if (policy.file_locks?.some((lock) => lock === path) === true) return null;
  return createObjection(
    'path-attributes',
    `${path} changes how git treats other files. It is writable only when a lock of the task names exactly this file.`,
  );
}

function readOnly(policy: AgentPolicy): PolicyObjection {
  return createObjection(
    'read-only-role',
    `A ${policy.role} may not write. Read what you need and report your findings in your answer.`,
  );
}

function judgeKind(found: ResolvedPath, path: string, access: Access): PolicyObjection | null {
  if (found.entry?.kind === 'other') {
    return createObjection('path-special', `${path} is a device, pipe or socket. Use a regular file.`);
  }
  if (/^(?:write|remove)$/.test(access) && found.entry?.kind === 'file' && found.entry.links > 1) {
    return createObjection(
      'path-linked',
      `${path} has ${found.entry.links} hard links, so writing it would change a file elsewhere. Write a new file instead.`,
    );
  }
  return null;
}

function judgeBelow({ isBelowFile }: ResolvedPath, path: string, access: Access): PolicyObjection | null {
  if (!isBelowFile || access === 'read' || access === 'remove') return null;
  return createObjection('path-malformed', `A part of ${path} is a file, so nothing can be written below it.`);
}

function judgeInside(policy: AgentPolicy, found: ResolvedPath, access: Access): PolicyObjection | null {
  const names = [...new Set([found.lexical, found.resolved])];
  const objections = names.map(
    (name) => judgePathByName(policy, name, access) ?? judgeAccess(policy, name, found, access),
  );
  return objections.find((one) => one !== null) ?? null;
}

function judgeAccess(policy: AgentPolicy, name: string, found: ResolvedPath, access: Access): PolicyObjection | null {
  if (access === 'read') return null;
  if (access === 'folder' || (access === 'stage' && found.entry?.kind !== 'file')) {
    return judgeFolder(policy, name);
  }
  const scope = judgePathInScope(policy, name) ?? judgeGitAttributesFile(policy, name);
  if (scope !== null || found.entry !== null || access === 'stage') return scope;
  return judgeNewFileName(policy, name);
}

/** A folder may hold what may be written without being writable as a whole. */
function judgeFolder(policy: AgentPolicy, name: string): PolicyObjection | null {
  if (name === '') return null;
  const meets = (glob: string): boolean => locksConflict(`${name}/`, glob);
  return policy.allowed_paths.some(meets) && (policy.file_locks?.some(meets) ?? true)
    ? null
    : judgePathInScope(policy, name);
}

/** Whether a glob blocks or hides a path: with all below it, in any case of letters and any reading of brackets. */
export function isPathBlockedByGlob(glob: string, path: string): boolean {
  const [pattern, name] = [foldNameForComparison(glob), foldNameForComparison(path)];
  if (shellGlobMatchesPath(pattern, name)) return true;
  if (pattern.endsWith('/**') && shellGlobMatchesPath(pattern.slice(0, -3), name)) return true;
  const segments = name.split('/');
  return segments.slice(1).some((_, index) => shellGlobMatchesPath(pattern, segments.slice(0, index + 1).join('/')));
}

const styles: Readonly<Record<string, RegExp>> = {
  snake_case: /^[a-z0-9]+(?:_[a-z0-9]+)*$/,
  'kebab-case': /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
  camelCase: /^[a-z][a-zA-Z0-9]*$/,
  PascalCase: /^[A-Z][a-zA-Z0-9]*$/,
};

/**
 * Returns the objection to the name of a new file under validation.file_naming; null: none. Only the first part of
 * `Button.test.tsx` is held to the style, the middle ones may be plain lower-case words; dot files are free.
 */
export function judgeNewFileName(policy: AgentPolicy, path: string): PolicyObjection | null {
  const style = policy.naming_style;
  if (style === null || !policy.naming_globs.some((glob) => globMatchesPath(glob, path, policy.literal_paths)))
    return null;
  const name = path.split('/').at(-1) ?? '';
  if (name.startsWith('.') || followsStyle(name, style)) return null;
  return createObjection('file-name', `${path} is not named in ${style}. Choose a name like ${example(style)}.`);
}

function followsStyle(name: string, style: string): boolean {
  const pattern = styles[style];
  const [first = '', ...others] = name.split('.').slice(0, Math.max(1, name.split('.').length - 1));
  const middle = others.every((part) => /^[a-z0-9]*$/.test(part) || pattern?.test(part) === true);
  // `__init__.py`, `[id].tsx` and `(group)` carry marks that mean something to a framework.
  return middle && pattern?.test(first.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')) === true;
}

function example(style: string): string {
  const examples: Readonly<Record<string, string>> = {
    snake_case: 'order_list.ts',
    'kebab-case': 'order-list.ts',
    camelCase: 'orderList.ts',
    PascalCase: 'OrderList.ts',
  };
  return examples[style] ?? style;
}
