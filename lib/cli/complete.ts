import { resolve } from 'node:path';
import type { Candidate, Io } from '../domain/shown/command.ts';
import { visibleLine } from '../ui/text/visible-text.ts';
import { type Completion, planCompletion, type Source } from './plan-completion.ts';

/** The hidden command the completion scripts of the shells call: `git flame __complete -- WORD... CURRENT`. */
export const completeCommand = '__complete';

const aboutWidth = 60;

/**
 * Prints what the last word may be completed to: one word a line, a tab and what it is behind it. `:files` or
 * `:folders` alone asks the shell for its own. Reports no errors: a TAB is no place for them.
 */
export async function complete(argv: readonly string[], io: Io): Promise<number> {
  const words = argv[0] === '--' ? argv.slice(1) : argv;
  const completion = planCompletion(words.slice(0, -1), words.at(-1) ?? '');
  const { source, before, typed } = completion;
  if (source.kind === 'files' || source.kind === 'folders') {
    io.stdout.write(`:${source.kind}\n`);
    return 0;
  }
  const candidates = await listCandidates(source, completion, io).catch(() => []);
  const lines = candidates
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, about }) => `${before}${word}\t${shorten(visibleLine(about))}\n`);
  io.stdout.write(lines.join(''));
  return 0;
}

async function listCandidates(
  source: Source,
  { directory, session }: Completion,
  io: Io,
): Promise<readonly Candidate[]> {
  if (source.kind === 'words') return source.words;
  if (source.kind !== 'names') return [];
  const { listNames } = await import('../commands/completion/list-names.ts');
  const cwd = directory === null ? io.cwd : resolve(io.cwd, directory);
  return listNames({ cwd, env: io.env }, source.of, session);
}

function shorten(text: string): string {
  const letters = [...text];
  return letters.length <= aboutWidth ? text : `${letters.slice(0, aboutWidth - 1).join('')}…`;
}
