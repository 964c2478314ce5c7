import { isKnownSubcommand } from './git.ts';
import { readPrograms } from './read-programs.ts';
import { shellPrograms } from './shell-programs.ts';
import { writePrograms } from './write-programs.ts';

const programs = new Set([readPrograms, writePrograms, shellPrograms].flatMap((rules) => Object.keys(rules)));

/**
 * Whether what an entry of `allowed_commands` allows runs no program of the repository: only programs that read and
 * change files, and git by the subcommands the policy has rules for. Their rules refuse what starts others.
 */
export function runsNoCode(entry: string): boolean {
  const [name = '', subcommand] = entry.trim().split(/\s+/);
  if (name === 'git') return subcommand === undefined || isKnownSubcommand(subcommand);
  return programs.has(name);
}
