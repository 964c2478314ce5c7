import { randomBytes } from 'node:crypto';
import type { Config } from '../../domain/config/config-schema.ts';
import { listMaskedPaths } from '../../domain/config/hidden-paths.ts';
import type { GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import type { GitFiles } from '../../domain/ports/git-contents.ts';
import type { GitPort, GitRefs } from '../../domain/ports/git-port.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { createCheckFindings, type DoctorFinding } from '../../domain/view-models/doctor-finding.ts';
import { describeFilteredPaths, findBaseBranch, listRefsInTheWayErrors } from '../../engine/work/preflight.ts';
import { type GitContext, runGitForText } from '../../git/process/run-git.ts';
import { readSetupRecord } from '../../git/setup/setup-record.ts';
import { createHiddenPartFinder } from '../../policy/hidden-path-parts.ts';
import {
  chooseRemote,
  deleteRemoteRefs,
  listRemoteRefTips,
  machinesRoot,
  type PushSpec,
  pushState,
} from '../../store/sync/remote-refs.ts';
import { errorMessage } from '../../util/error-text.ts';
import { renderFileName } from '../../util/file-names.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { findGitContextHere, type ReadContext } from '../context/open-read-context.ts';
import { requireWorkTree } from '../context/read-config.ts';
import { planGitHooks } from '../init/init.ts';
import {
  type BeadsPlace,
  explainBeadsHooks,
  findBeadsHooksFolder,
  hasBeads,
  makeBeadsCommand,
  readBeadsVersion,
} from '../memory/run-beads.ts';

/** Finds what of the repository stops work: refs in the way, and for single tasks files behind filters, submodules. */
export async function examineRepository(
  git: GitCommits & GitFiles & Pick<GitRefs, 'refNames'> & Pick<GitMerging, 'mergeDrivers'>,
  config: Config,
): Promise<readonly DoctorFinding[]> {
  const inTheWay = (await listRefsInTheWayErrors({ git }, config)).map(({ message, hints }) =>
    createCheckFindings('state', 'ref-names').missing(message, { hints }),
  );
  return [...inTheWay, ...(await examineFiles(git, config))];
}

const mostFiles = 500_000;

/** Also what is hidden from agents and lies in git's history all the same. */
async function examineFiles(
  git: GitCommits & GitFiles & Pick<GitMerging, 'mergeDrivers'>,
  { permissions }: Config,
): Promise<readonly DoctorFinding[]> {
  const commit = await git.resolveCommit('HEAD');
  if (commit === null) return [];
  const [filtered, submodules] = [await git.filteredPaths(commit), await git.submodules(commit)];
  const found: DoctorFinding[] = [];
  const add = (check: string, message: string) =>
    found.push(createCheckFindings('post-check', check, false).weaker(message));
  if (filtered.length > 0) add('filters', describeFilteredPaths(filtered));
  const drivers = await git.mergeDrivers();
  if (drivers.length > 0)
    add(
      'merge-drivers',
      `Merge drivers of your git configuration do not run on agents' work; these files merge as text: ${drivers.slice(0, 10).map(renderFileName).join(', ')}.`,
    );
  if (submodules.length > 0)
    add(
      'submodules',
      `Submodules are empty in agents' worktrees, and tasks about them are refused: ${submodules.slice(0, 10).map(renderFileName).join(', ')}.`,
    );
  const hiddenPart = createHiddenPartFinder(listMaskedPaths(permissions));
  const hidden = (await git.listFiles(commit, mostFiles)).flatMap((path) => hiddenPart(path) ?? []);
  if (hidden.length > 0) add('hidden', describeHidden(hidden));
  return found;
}

function describeHidden(paths: readonly string[]): string {
  const names = [...new Set(paths)];
  const rest = names.length > 10 ? ` and ${names.length - 10} more` : '';
  return `Committed, although permissions.hidden_paths hides them: ${names.slice(0, 10).map(renderFileName).join(', ')}${rest}. Cells show them empty, but agents can read them in git's history: remove secrets from git and replace them. If programs need a file, list it in project.copy for setup and diagnostics, or don't hide it.`;
}

/** Examines what work would start from: the base branch, a name to commit by, and a committed configuration. */
export async function examineBase(git: GitPort, config: Config): Promise<readonly DoctorFinding[]> {
  const base = await attempt('base-branch', async () => {
    const { branch, commit } = await findBaseBranch({ git, config, root: requireWorkTree(git) });
    return `Work starts from ${branch} at ${shortId(commit)}.`;
  });
  const name = await attempt('identity', async () => `Commits are made by ${await git.identity()}.`);
  return [base, name, ...(await examineConfigFile(git))];
}

async function attempt(check: string, look: () => Promise<string>): Promise<DoctorFinding> {
  const { proven, failed } = createCheckFindings('programs', check);
  return look().then(
    (message) => proven(message),
    (error: unknown) => failed(error),
  );
}

async function examineConfigFile(git: GitPort): Promise<readonly DoctorFinding[]> {
  const { mainWorkTree: root } = git.repository;
  if (root === null || !(await git.changedTracked(root)).includes('.blueflame.yml')) return [];
  return [
    createCheckFindings('programs', 'configuration-committed', false).weaker(
      '.blueflame.yml has uncommitted changes: nothing starts before you commit them.',
      { hints: [`git -C ${shellQuote(root)} commit -m 'configure git flame' .blueflame.yml`] },
    ),
  ];
}

/** Examines whether installed git hooks are still in force: husky and lefthook replace them at each install. */
export async function examineHooks(git: Pick<GitPort, 'repository'>, io: Io): Promise<readonly DoctorFinding[]> {
  const check = createCheckFindings('state', 'git-hooks', false);
  try {
    if (readSetupRecord(git.repository.commonDir).hooks === null) return [];
    const details = await planGitHooks(git, io);
    if (details.length === 0) return [check.proven('The git hooks are in place.')];
    const message = 'The git hooks were installed, but are disabled now.';
    return [check.weaker(message, { details, hints: ['git flame init'] })];
  } catch (error) {
    return [check.failed(error, 'weaker')];
  }
}

/** Examines whether Beads can keep the memory, where it is configured to. Nothing is written. */
export async function examineBeads({ beads, memory }: Config, place: BeadsPlace): Promise<readonly DoctorFinding[]> {
  if (!beads.enabled || memory.provider === 'none') return [];
  const check = createCheckFindings('programs', 'beads', false);
  const weaker = (why: string, hints: readonly string[]): readonly DoctorFinding[] => [
    check.weaker(`beads.enabled, but memory is kept in git notes: ${why}.`, { hints }),
  ];
  try {
    const hooks = findBeadsHooksFolder(place);
    if (hooks !== null)
      return weaker(explainBeadsHooks(hooks), [
        `ls -l ${shellQuote(hooks)}`,
        'Remove the hooks, or set beads: { enabled: false } in .blueflame.yml',
      ]);
    const version = await readBeadsVersion(place);
    if (!hasBeads(place)) return weaker(`${place.root} has no Beads workspace`, [makeBeadsCommand]);
    return [check.proven(`Beads ${version} keeps the memory.`)];
  } catch (error) {
    return weaker(errorMessage(error), [
      'Install Beads (bd) 1.0 or newer, or set beads: { enabled: false } in .blueflame.yml',
    ]);
  }
}

const check = (name: string) => createCheckFindings('state', name, false);

/**
 * Examines whether machines can share a session through a remote. Each part is tried there with refs that are deleted
 * again: refs outside heads and tags, several in one push or none, a stale push refused, deletion; and how long a push
 * takes beside the lease. `name`: as it was typed, '' where none was.
 */
export async function examineRemote(
  { git, commandLine }: Pick<ReadContext, 'git' | 'commandLine'>,
  io: Io,
  { name, config }: { readonly name: string; readonly config: Config },
): Promise<readonly DoctorFinding[]> {
  const context = findGitContextHere(git, io);
  try {
    const remote = await chooseRemote(context, name === '' ? null : name);
    if (!commandLine.isDry) return await tryPushes(context, remote, config);
    await listRemoteRefTips(context, remote, `${machinesRoot}*`);
    return [check('remote').proven(`${remote} can be read. Nothing was pushed to it.`)];
  } catch (error) {
    return [check('remote').failed(error)];
  }
}

async function tryPushes(context: GitContext, remote: string, config: Config): Promise<readonly DoctorFinding[]> {
  const root = `${machinesRoot}doctor-${randomBytes(4).toString('hex')}`;
  const refs = [`${root}/a`, `${root}/b`];
  const [first, second] = [await emptyCommit(context, 'one'), await emptyCommit(context, 'two')];
  const specs = (from: string, expected: string | null): readonly PushSpec[] =>
    refs.map((to) => ({ from, to, expected }));
  const began = performance.now();
  try {
    const made = await pushState(context, remote, specs(first, null), { isAllOrNothing: true });
    const tookMs = performance.now() - began;
    if (made.kind === 'rejected')
      return [check('remote-refs').missing(`${remote} does not accept refs of machines: ${made.reason}.`)];
    const stale = await pushState(context, remote, specs(second, second), { isAllOrNothing: true });
    await deleteRemoteRefs(context, remote, new Map(refs.map((ref) => [ref, null])));
    const left = await listRemoteRefTips(context, remote, `${root}/*`);
    const [claims, deletes] = [check('remote-claims'), check('remote-deletes')];
    return [
      check('remote-refs').proven(
        `${remote} accepts refs outside heads and tags, and several in one push all or none.`,
      ),
      stale.kind === 'rejected'
        ? claims.proven(`${remote} refuses a push that is not a fast-forward: a claim has one winner.`)
        : claims.missing(`${remote} accepted a push that was not a fast-forward: two machines could win a claim.`),
      left.length === 0
        ? deletes.proven(`${remote} deletes refs of machines that left.`)
        : deletes.weaker(`${remote} deletes no refs: those of machines that left stay, without harm.`),
      timeOf(remote, tookMs, config),
    ];
  } catch (error) {
    return [check('remote-refs').failed(error)];
  }
}

/** A commit without files, that says nothing of the repository. */
async function emptyCommit(context: GitContext, text: string): Promise<string> {
  const tree = await runGitForText(context, ['mktree'], { input: '' });
  return runGitForText(context, ['commit-tree', tree, '-m', `git flame doctor: ${text}`]);
}

function timeOf(remote: string, tookMs: number, { machines }: Config): DoctorFinding {
  const { lease, renew } = machines;
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const words = `A push to ${remote} took ${seconds(tookMs)}. A machine sends a heartbeat every ${seconds(renew)}, and loses its claims after ${seconds(lease)} without one (machines.renew, machines.lease); clocks of different machines are not compared.`;
  // Look and push, and one lost race.
  if (4 * tookMs < renew) return check('remote-time').proven(words);
  return check('remote-time').weaker(
    `${words} That is too short for this remote: healthy machines would lose their claims.`,
  );
}
