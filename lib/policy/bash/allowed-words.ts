import type { AgentPolicy } from '../../domain/policy.ts';
import { listSome, type Objection, objection } from '../rules.ts';
import { isBuiltin, isSteering } from './builtins.ts';
import { isNamedOnly } from './git.ts';
import { programFamily } from './program-names.ts';
import { refusalOf } from './refused-programs.ts';

/** Whether the lead named the program alone, without a word after it. */
export function isBare(policy: AgentPolicy, name: string): boolean {
  return policy.allowed_commands.some((entry) => entryWords(entry).join(' ') === name);
}

/** Whether a name is that of a program here, which nothing else may have. */
export function hasEntry(policy: AgentPolicy, name: string): boolean {
  const entries = [...policy.allowed_commands, ...(policy.base_commands ?? [])];
  return (
    isBuiltin(name) || refusalOf(name) !== null || entries.some((entry) => entryWords(entry)[0] === name)
  );
}

/** The blocked pattern a text matches, if any. */
export function matchingPattern(policy: AgentPolicy, text: string): string | undefined {
  return policy.blocked_patterns.find((pattern) => new RegExp(pattern, 'u').test(text));
}

/** How many words after the program name the best matching entry holds; null: no entry matches. */
export function trustedWords(policy: AgentPolicy, words: readonly string[]): number | null {
  const [name = '', subcommand = ''] = words;
  if (isSteering(name)) return 0;
  const lengths = policy.allowed_commands
    .map(entryWords)
    .filter((entry) => entry.length > 0 && entry.every((word, at) => word === words[at]))
    .map((entry) => entry.length);
  const longest = Math.max(0, ...lengths);
  if (longest > 1 || (longest === 1 && !(name === 'git' && isNamedOnly(subcommand)))) return longest - 1;
  const plain = [programFamily(name), ...words.slice(1)];
  const isBase = policy.base_commands?.some((entry) =>
    entry.split(' ').every((word, at) => word === plain[at]),
  );
  return isBase === true ? 0 : null;
}

/** An entry may end in a remark in parentheses: `git branch (listing only)`. */
export function entryWords(entry: string): readonly string[] {
  return entry
    .replace(/\s+\([^)]*\)\s*$/, '')
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** The refusal of a command that no entry names, with what is allowed instead. */
export function notAllowed(policy: AgentPolicy, command: string): Objection {
  const list = listSome(policy.allowed_commands, 30);
  const why = policy.role === 'merger' ? ' The checks are run for a merger, on what it commits.' : '';
  const base =
    policy.base_commands?.length === 0 ? '' : ' and programs that only look (ls, cat, rg, sed -n, git log …)';
  return objection(
    'bash-not-allowed',
    `${command} is not an allowed command. Allowed are: ${list}${base}.${why}`,
  );
}
