import type { GitHookCall } from '../../policy/decide-git-hook.ts';
import type { GitHookRequest } from './protocol.ts';

type Staged = (GitHookCall & { readonly hook: 'pre-commit' })['staged'];

const statuses: Readonly<Record<string, Staged[number]['status']>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  T: 'type-changed',
};

/** Reads what a git hook of a cell was given: a message, or `git diff-index --cached --raw -z`; null if it's neither. */
export function readGitHook({ gitHook, text }: GitHookRequest): GitHookCall | null {
  if (gitHook === 'commit-msg') return { hook: 'commit-msg', message: text };
  const staged = gitHook === 'pre-commit' ? parseStaged(text) : null;
  return staged === null ? null : { hook: 'pre-commit', staged };
}

/** `:oldMode newMode oldOid newOid status NUL path NUL` for each path. */
function parseStaged(text: string): Staged | null {
  const entries: Staged[number][] = [];
  for (const [, oldMode = '', newMode = '', letter = '', path = ''] of text.matchAll(entry)) {
    entries.push({ path, oldMode, newMode, status: statuses[letter] ?? 'modified' });
  }
  return text.replace(entry, '') === '' ? entries : null;
}

const entry = /:(\d+) (\d+) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*\0([^\0]+)\0/g;
