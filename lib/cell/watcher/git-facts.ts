import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { GitQuestion, PathFacts } from '../../domain/policy.ts';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import { quarantineVariables } from '../../git/objects/git-access.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { runGitBriefly } from '../../git/process/run-git-briefly.ts';

/** Where an agent's git works, for the questions of its judge. */
export interface AskedRepository {
  readonly env: GitContext['env'];
  readonly workTree: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly quarantine: Pick<Quarantine, 'objectDir' | 'alternates'> | null;
}

/** Milliseconds: for one question, for many at once, and what comes back in each. The judge answers no other call meanwhile. */
export interface AskingTime {
  readonly each: number;
  readonly together: number;
  readonly regrowth: number;
}
const askingTime: AskingTime = { each: 700, together: 1_500, regrowth: 0.25 };
const mostBytes = 8 * 1024 * 1024;
const guard = { limits: { wallMs: 0, cpuSeconds: 10, memoryMb: 1_024 } };
// Nothing is fetched, and nothing asks.
const still = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none', GIT_SSH_COMMAND: 'false' };
/** Milliseconds for which an answer about the whole repository is kept. */
const patienceMs = 60_000;

/**
 * Answers a judge's questions to git, each in a short time: of the worktree as the agent's own git would, objects it has made
 * included; of the repository without them, so that no agent can change the answer.
 */
export function openGitFacts(
  { env, workTree, gitDir, commonDir, quarantine }: AskedRepository,
  time: AskingTime = askingTime,
): PathFacts['git'] {
  const quiet = { GIT_ATTR_NOSYSTEM: '1', ...still };
  const own = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    ...(quarantine === null ? {} : quarantineVariables(quarantine)),
  };
  const allowance = openAllowance(time);
  const known = new Map<string, { readonly answer: string | null; readonly at: number }>();
  const ask = ({ args, input, cwd }: GitQuestion): string | null =>
    allowance.spend((ms) => {
      const variables = cwd === null ? { GIT_DIR: commonDir, ...quiet } : { ...own, ...quiet };
      const context = { cwd: cwd ?? join(commonDir, 'refs'), env, variables, guard };
      const given = input === undefined ? {} : { input };
      return runGitBriefly(context, args, { ...given, ms, bytes: mostBytes })?.toString() ?? null;
    });
  return (question) => {
    if (question.cwd !== null) return ask(question);
    const key = JSON.stringify(question);
    const before = known.get(key);
    if (before !== undefined && performance.now() - before.at < patienceMs) return before.answer;
    const answer = ask(question);
    known.set(key, { answer, at: performance.now() });
    return answer;
  };
}

interface Allowance {
  /** Asks with the milliseconds there are; null: none are left. */
  spend(ask: (ms: number) => string | null): string | null;
}

function openAllowance({ each, together, regrowth }: AskingTime): Allowance {
  let left = together;
  let at = performance.now();
  return {
    spend(ask) {
      const began = performance.now();
      left = Math.min(together, left + (began - at) * regrowth);
      at = began;
      const ms = Math.floor(Math.min(each, left));
      if (ms <= 0) return null;
      const answer = ask(ms);
      left -= performance.now() - began;
      at = performance.now();
      return answer;
    },
  };
}

/** The git folders of a work tree, without asking git; null: it is none. gitrepository-layout(5). */
export function findGitFolders(workTree: string): Pick<AskedRepository, 'gitDir' | 'commonDir'> | null {
  const link = join(workTree, '.git');
  if (!existsSync(link)) return null;
  const target = statSync(link).isDirectory()
    ? link
    : (/^gitdir: (.+)$/m.exec(readFileSync(link, 'utf8'))?.[1] ?? '');
  const gitDir = isAbsolute(target) ? target : resolve(workTree, target);
  const file = join(gitDir, 'commondir');
  const common = existsSync(file) ? readFileSync(file, 'utf8').trim() : '.';
  return { gitDir, commonDir: resolve(gitDir, common) };
}
