import type { Config } from '../../domain/config/config.ts';
import { maskedPaths } from '../../domain/config/hidden-paths.ts';
import type { GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import type { GitFiles } from '../../domain/ports/git-contents.ts';
import type { GitRefs } from '../../domain/ports/git-port.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import { describeFiltered } from '../../engine/work/preflight.ts';
import { refsInTheWay } from '../../engine/work/refs-in-the-way.ts';
import { hiddenPartOf } from '../../policy/hidden-names.ts';
import { showName } from '../../util/file-names.ts';

/** What of the repository stops work: refs in the way, and for single tasks files behind filters, submodules. */
export async function examineRepository(
  git: GitCommits & GitFiles & Pick<GitRefs, 'refNames'> & Pick<GitMerging, 'mergeDrivers'>,
  config: Config,
): Promise<readonly Finding[]> {
  const inTheWay = (await refsInTheWay({ git }, config)).map(({ message, hints }) =>
    checkOf('state', 'ref-names').missing(message, { hints }),
  );
  return [...inTheWay, ...(await examineFiles(git, config))];
}

const mostFiles = 500_000;

/** Also what is hidden from agents and lies in git's history all the same. */
async function examineFiles(
  git: GitCommits & GitFiles & Pick<GitMerging, 'mergeDrivers'>,
  { permissions }: Config,
): Promise<readonly Finding[]> {
  const commit = await git.resolveCommit('HEAD');
  if (commit === null) return [];
  const [filtered, submodules] = [await git.filteredPaths(commit), await git.submodules(commit)];
  const found: Finding[] = [];
  const add = (check: string, message: string) =>
    found.push(checkOf('post-check', check, false).weaker(message));
  if (filtered.length > 0) add('filters', describeFiltered(filtered));
  const drivers = await git.mergeDrivers();
  if (drivers.length > 0)
    add(
      'merge-drivers',
      `Merge drivers of your git configuration do not run where work of agents is merged, its files merge as text: ${drivers.slice(0, 10).map(showName).join(', ')}.`,
    );
  if (submodules.length > 0)
    add(
      'submodules',
      `Submodules are empty in the worktrees of agents, and tasks about them are refused: ${submodules.slice(0, 10).map(showName).join(', ')}.`,
    );
  const hiddenPart = hiddenPartOf(maskedPaths(permissions));
  const hidden = (await git.listFiles(commit, mostFiles)).flatMap((path) => hiddenPart(path) ?? []);
  if (hidden.length > 0) add('hidden', describeHidden(hidden));
  return found;
}

function describeHidden(paths: readonly string[]): string {
  const names = [...new Set(paths)];
  const rest = names.length > 10 ? ` and ${names.length - 10} more` : '';
  return `Committed, though permissions.hidden_paths names them: ${names.slice(0, 10).map(showName).join(', ')}${rest}. Cells show them empty, but git's history holds them for agents, too: take secrets out of git and renew them. What programs need is shown to setup and diagnostics by project.copy, or not hidden.`;
}
