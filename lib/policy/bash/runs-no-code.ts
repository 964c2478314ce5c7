import { readCommands, writeCommands } from '../base-commands.ts';
import { isBuiltin } from './builtins.ts';
import { isKnownSubcommand } from './git.ts';

const programs = new Set(
  [...readCommands, ...writeCommands]
    .filter((one) => !one.includes(' '))
    .concat('rm', 'unlink', 'truncate', 'chmod', 'nice', 'ionice', 'stdbuf', 'ps', 'id'),
);

/**
 * Whether an entry of `allowed_commands` allows no program of the repository to run: only programs that read and
 * change files, and git by the subcommands the policy has rules for. Their rules refuse what starts others.
 */
export function runsNoCode(entry: string): boolean {
  const [name = '', subcommand] = entry.trim().split(/\s+/);
  if (name === 'git') return subcommand === undefined || isKnownSubcommand(subcommand);
  return programs.has(name) || isBuiltin(name);
}
