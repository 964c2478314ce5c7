import type { AgentPolicy } from '../domain/agent-policy.ts';
import { cliSettingsFiles } from '../domain/config/known-clis.ts';
import { foldNameForComparison } from '../util/path-globs.ts';

/** A place that no agent may touch, with any task and any configuration. */
export interface ProtectedPlace {
  /** As it is named in the path. */
  readonly name: string;
  /** The reason, as the end of a sentence: `is git's own`. */
  readonly why: string;
}

// Short names of Windows file systems, trailing dots and streams reach the same folder there.
const gitFolder = /^\.git(?:[. ]*$|:)|^git~\d+$/;

/**
 * Files and folders at the top of a repository that agent CLIs obey as settings: hooks, plugins, servers, permissions.
 * The person's own CLI reads them; the CLIs of agents must not. Some are of CLIs that have no adapter.
 */
export const agentCliSettingsFiles: readonly string[] = [...new Set([...cliSettingsFiles, '.cursor', '.agents'])];

const settings = new Set(agentCliSettingsFiles);
// The tool reads no example file.
const ownName = /^\.blueflame(?!\.example\.ya?ml$)/;

/** The protected place a path of the repository names, or lies in; null: none. */
export function findProtectedPlace(
  { protected_paths: folders = [] }: Pick<AgentPolicy, 'protected_paths'>,
  path: string,
): ProtectedPlace | null {
  const names = path.split('/');
  const folded = foldNameForComparison(path).split('/');
  for (const [index, segment] of folded.entries()) {
    const name = names[index] ?? segment;
    if (gitFolder.test(segment)) return { name, why: "is git's own" };
    if (ownName.test(segment)) return { name, why: 'configures git flame' };
    const two = `${folded[index - 1]}/${segment}`;
    if (settings.has(segment)) return { name, why: 'holds settings that agents obey' };
    if (settings.has(two)) return { name: `${names[index - 1]}/${name}`, why: 'holds settings that agents obey' };
  }
  const folder = folders.find((one) => `${foldNameForComparison(path)}/`.startsWith(`${foldNameForComparison(one)}/`));
  return folder === undefined ? null : { name: folder, why: "is where agents' worktrees are (project.worktree_dir)" };
}

/** Where agents' worktrees are, as a path of the repository; empty where that is elsewhere. */
export function listAgentWorktreeFolders(worktreeDir: string | null): readonly string[] {
  if (worktreeDir === null) return [];
  const names = worktreeDir.split('/').filter((name) => name !== '' && name !== '.');
  return worktreeDir.startsWith('/') || names.includes('..') || names.length === 0 ? [] : [names.join('/')];
}
