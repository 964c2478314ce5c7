import type { ObjectId } from '../../domain/ids.ts';
import { type GitContext, runGit } from '../../git/process/run-git.ts';

/** Those commits that exist and that neither a base branch nor another of them leads to; base null: no branch. */
export async function unmergedCommits(
  git: GitContext,
  commits: readonly ObjectId[],
  base: string | null,
): Promise<readonly ObjectId[]> {
  if (commits.length === 0) return [];
  const candidates = base === null ? commits : [...commits, `refs/heads/${base}`];
  const checked = await runGit(git, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    input: `${candidates.join('\n')}\n`,
  });
  const lines = checked.stdout.toString().split('\n');
  const isThere = lines.slice(0, candidates.length).map((line) => line.endsWith(' commit'));
  const found = commits.filter((_, at) => isThere[at]);
  if (found.length === 0) return [];
  const excluded = base !== null && isThere[commits.length] ? [`^refs/heads/${base}`] : [];
  const { stdout } = await runGit(git, ['--no-replace-objects', 'rev-list', '--parents', '--stdin'], {
    input: `${[...found, ...excluded].join('\n')}\n`,
  });
  const rows = stdout
    .toString()
    .split('\n')
    .map((row) => row.split(' '));
  const listed = new Set(rows.map(([commit]) => commit));
  const parents = new Set(rows.flatMap(([, ...others]) => others));
  return found.filter((commit) => listed.has(commit) && !parents.has(commit));
}
