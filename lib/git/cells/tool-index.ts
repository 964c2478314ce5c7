import { closeSync, existsSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, objectIdPattern, parseObjectId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import { replaceFile } from '../../util/write-files.ts';
import { type GitAccess, gitOnObjects, quarantineVariables, withVariables } from '../objects/git-access.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { resolveCommit } from '../refs/resolve-commit.ts';
import { readAgentBranchTip } from './agent-refs.ts';
import { buildCellGitFolders, type CellGitFolders } from './cell-git-folders.ts';
import { addToRecord, type RecordFacts, readRecord } from './cell-record.ts';
import { copyVerifiedObjects } from './copy-verified-objects.ts';
import { sanitizeWorktree } from './sanitize-worktree.ts';

export function requireCellGitFolders(access: GitAccess, cell: CellWorktree): CellGitFolders {
  return buildCellGitFolders(access.repository.commonDir, basename(cell.quarantine.objectDir));
}

// Settings of the person's own checkout that would leak into a cell, or make its index depend on other files.
const cellSettings: Readonly<Record<string, string>> = {
  'core.sparseCheckout': 'false',
  // It would refuse what core.autocrlf converts.
  'core.safecrlf': 'false',
  'core.splitIndex': 'false',
  'core.untrackedCache': 'false',
  'submodule.recurse': 'false',
  'rerere.enabled': 'false',
  // Larger files would become a pack; everything in the intake is read and moved as loose objects.
  'core.bigFileThreshold': '100g',
};

/**
 * git in a cell's worktree with the tool's own index and verified objects: it reads nothing of what
 * the agent could write but the files themselves, and what it writes goes to the intake.
 */
export async function gitWithToolIndex(access: GitAccess, cell: CellWorktree): Promise<GitContext> {
  const { ownGitDir, intake } = requireCellGitFolders(access, cell);
  return {
    cwd: cell.path,
    env: access.context.env,
    guard: { ...access.guard, lock: join(ownGitDir, 'index.lock') },
    variables: {
      ...addSettings(await access.inertDrivers()),
      ...quarantineVariables({ objectDir: intake, alternates: cell.quarantine.alternates }),
      GIT_DIR: ownGitDir,
      GIT_WORK_TREE: cell.path,
      GIT_LITERAL_PATHSPECS: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
    },
  };
}

/**
 * Where a cell stands, not yet verified: the commit that was made for an agent that was over, else HEAD of the agent's
 * git folder. Throws FlameError `cell-head-unreadable`.
 */
export async function readCellHead(access: GitAccess, cell: CellWorktree): Promise<ObjectId> {
  const { made } = readRecord(requireCellGitFolders(access, cell).root);
  const head = await readAgentHead(access, cell);
  return made !== null && made.over === head ? made.commit : head;
}

/** Reads the HEAD of the agent's own git. */
async function readAgentHead(access: GitAccess, cell: CellWorktree): Promise<ObjectId> {
  const { agentGitDir } = requireCellGitFolders(access, cell);
  const file = join(agentGitDir, 'HEAD');
  // The agent can put a link, a pipe or a gigabyte there.
  const facts = lstatSync(file, { throwIfNoEntry: false });
  const text = facts?.isFile() && facts.size < 1_000 ? readFileSync(file, 'utf8').trim() : '';
  if (objectIdPattern.test(text)) return parseObjectId(text);
  const ref = /^ref: (refs\/heads\/[^\s]+)$/.exec(text)?.[1];
  const commit =
    ref === undefined
      ? null
      : (readAgentBranchTip(agentGitDir, ref) ?? (await resolveCommit(gitOnObjects(access), ref)));
  if (commit !== null) return commit;
  throw new FlameError({
    kind: 'refused',
    code: 'cell-head-unreadable',
    message: `HEAD of the worktree ${cell.path} names no commit.`,
    hints: ['git flame rescue list'],
  });
}

/**
 * Brings the tool's own index to the agent's HEAD, its objects verified; files stay as they are.
 * Returns that HEAD and the git to continue with.
 */
export async function syncToolIndexToAgentHead(
  access: GitAccess,
  cell: CellWorktree,
): Promise<{ readonly head: ObjectId; readonly git: GitContext }> {
  const places = requireCellGitFolders(access, cell);
  const head = await readCellHead(access, cell);
  await copyVerifiedObjects(access, cell.quarantine, head);
  await sanitizeWorktree(cell.path, {
    bounds: access.bounds,
    known: countIndexEntries(places.ownGitDir),
    guard: access.guard,
    before: (path) => readFileAtAgentStart(access, cell, path),
  });
  const git = await gitWithToolIndex(access, cell);
  if (readRecord(places.root).index === head) return { head, git };
  await runGit(git, ['read-tree', '--reset', head]);
  recordToolIndexCommit(places, head);
  return { head, git };
}

/** Reads a file as it was when the agent began, as Latin-1; null: there was none. */
export async function readFileAtAgentStart(
  access: GitAccess,
  cell: CellWorktree,
  path: string,
): Promise<string | null> {
  const objects = gitOnVerifiedObjects(access, requireCellGitFolders(access, cell).intake);
  const blob = await runGit(objects, ['cat-file', 'blob', `${cell.start}:${path}`], { accept: [0, 128] });
  return blob.exitCode === 0 ? blob.stdout.toString('latin1') : null;
}

/** Says that the tool's own index is that of `head`, and what else follows in the same step. */
export function recordToolIndexCommit(
  { root }: CellGitFolders,
  head: ObjectId,
  also: Pick<RecordFacts, 'made'> = {},
): void {
  addToRecord(root, { index: head, ...also });
}

/** Brings the tool's own HEAD there, for a git that stands on it; else it stays where the cell began. */
export function setToolHead({ ownGitDir }: CellGitFolders, head: ObjectId): void {
  // In one step: half a HEAD would make it no git folder any more.
  replaceFile(join(ownGitDir, 'HEAD'), `${head}\n`);
}

/** Makes the next syncToolIndexToAgentHead read the index again, after something else was put in it. */
export function forgetToolIndex({ root }: CellGitFolders): void {
  addToRecord(root, { index: null });
}

/** How many paths the tool's own index has; gitformat-index(5). */
export function countIndexEntries(ownGitDir: string): number {
  const file = join(ownGitDir, 'index');
  if (!existsSync(file)) return 0;
  const start = Buffer.alloc(12);
  const opened = openSync(file, 'r');
  readSync(opened, start);
  closeSync(opened);
  return start.readUInt32BE(8);
}

/** Adds settings to a GIT_CONFIG_COUNT list. */
function addSettings(variables: Readonly<Record<string, string>>): Record<string, string> {
  const first = Number(variables.GIT_CONFIG_COUNT ?? 0);
  const added = Object.entries(cellSettings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  const count = String(first + Object.keys(cellSettings).length);
  return { ...variables, ...Object.fromEntries(added), GIT_CONFIG_COUNT: count };
}

/** git on objects alone that also sees what was verified of a quarantine. */
export function gitOnVerifiedObjects(access: GitAccess, intake: string): GitContext {
  const objects = gitOnObjects(access);
  return withVariables(
    { ...objects, guard: access.guard },
    quarantineVariables({ objectDir: join(access.repository.commonDir, 'objects'), alternates: [intake] }),
  );
}
