import type { Quarantine } from '../../domain/ports/git-cells.ts';
import { quarantineVariables } from '../../git/objects/git-access.ts';

// The person's own settings don't reach a cell: no signing key is there, and nothing may run in the background.
const cellConfig: readonly (readonly [string, string])[] = [
  ['safe.directory', '*'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['core.fsmonitor', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.detachedHead', 'false'],
];

/**
 * git's variables inside a cell: objects go to the quarantine, commits carry the given author, and `hooksConfig`
 * holds in the cell's own repository.
 */
export function gitCellEnvironment(
  quarantine: Quarantine | null,
  author: { readonly name: string; readonly email: string },
  hooksConfig: string | null = null,
): Record<string, string> {
  const hooks = quarantine === null || hooksConfig === null ? [] : [includeHooks(quarantine, hooksConfig)];
  const all = [...cellConfig, ...hooks];
  const config = all.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...(quarantine === null ? {} : quarantineVariables(quarantine)),
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(config),
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: ':',
    GIT_PAGER: 'cat',
  };
}

// Not core.hooksPath itself: it would hold in every repository that a project's own tests make.
function includeHooks({ worktreeGitDir }: Quarantine, file: string): readonly [string, string] {
  // A glob; the name of a setting can't contain a newline.
  const pattern = worktreeGitDir.replace(/[\\*?[\]]/g, '\\$&').replaceAll('\n', '?');
  return [`includeIf.gitdir:${pattern}.path`, file];
}
