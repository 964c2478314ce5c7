import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { PathFacts } from '../../domain/policy.ts';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import { quarantineVariables } from '../../git/objects/git-access.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { runGitBriefly } from '../../git/process/run-git-briefly.ts';

/** Where an agent's git works, for the questions of its judge. */
export interface AskedRepository {
  readonly env: GitContext['env'];
  readonly workTree: string;
  readonly gitDir: string;
  readonly quarantine: Pick<Quarantine, 'objectDir' | 'alternates'> | null;
}

// The judge answers no other call meanwhile.
const askingMs = 700;
const guard = { limits: { wallMs: 0, cpuSeconds: 10, memoryMb: 1_024 } };
// Nothing is fetched, and nothing asks.
const still = {
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_SSH_COMMAND: 'false',
  GIT_ATTR_NOSYSTEM: '1',
};

/** Answers what an object is, in a short time, as the agent's own git would: objects it has made are included. */
export function openGitFacts(
  { env, workTree, gitDir, quarantine }: AskedRepository,
  ms = askingMs,
): PathFacts['kindOf'] {
  const own = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    ...(quarantine === null ? {} : quarantineVariables(quarantine)),
  };
  return (name, cwd) => {
    const context = { cwd, env, variables: { ...own, ...still }, guard };
    const args = ['cat-file', '--batch-check=%(objecttype)'];
    const answer = runGitBriefly(context, args, { input: `${name}\n`, ms, bytes: 10_000 })?.toString() ?? '';
    return /(?:^| )(blob|tree|commit|tag|missing|ambiguous)\n/.exec(answer)?.[1] ?? null;
  };
}

/** The git folder of a work tree, without asking git; null: it is none. gitrepository-layout(5). */
export function findGitFolder(workTree: string): string | null {
  const link = join(workTree, '.git');
  if (!existsSync(link)) return null;
  const target = statSync(link).isDirectory()
    ? link
    : (/^gitdir: (.+)$/m.exec(readFileSync(link, 'utf8'))?.[1] ?? '');
  return isAbsolute(target) ? target : resolve(workTree, target);
}
