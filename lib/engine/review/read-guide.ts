import {
  buildReadingGuide,
  listWordsToSearch,
  needsTests,
  type ReadChanges,
  readChanges,
} from '../../core/reading/build-reading-guide.ts';
import { kindOfFile } from '../../core/reading/file-kind.ts';
import { orderDiff } from '../../core/reading/order-diff.ts';
import type { TreeSearch } from '../../core/reading/test-coverage.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GitDiffs, GitFiles } from '../../domain/ports/git-contents.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Patch, PatchFile } from '../../domain/state/patch.ts';
import type { ReadingGuide } from '../../domain/state/reading-guide.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { WithGit } from '../run-context.ts';

type Git = Pick<GitDiffs, 'readPatch'> & Pick<GitFiles, 'readTexts' | 'listFiles' | 'search'>;

/** A changeset, and the works it is made of. */
export interface GuidedChange {
  readonly changeset: Pick<Changeset, 'parent' | 'commit' | 'tasks' | 'diagnostics'>;
  /** Its tasks among others. */
  readonly tasks: readonly Task[];
}

/** The order a changeset is read in, and the patch that it is the order of. */
export interface GuidedPatch {
  readonly guide: ReadingGuide;
  readonly patch: Patch;
}

/** Reads the order in which a changeset explains itself; `patch`: what it changes, whole. */
export async function readReadingGuide(
  { git }: WithGit<Git>,
  change: GuidedChange,
  patch: Patch,
): Promise<ReadingGuide> {
  const { commit, tasks: ids, diagnostics } = change.changeset;
  const changes = readChanges(patch, await git.readTexts(commit, listPathsToRead(patch)));
  const search = await searchTree(git, commit, changes);
  return buildReadingGuide(
    changes,
    change.tasks.filter(({ id }) => ids.includes(id)),
    search,
    diagnostics.at(-1)?.coverage,
  );
}

/** As above, with its patch; null where that can't be read: what shows it reports that. */
export async function tryReadReadingGuide(context: WithGit<Git>, change: GuidedChange): Promise<GuidedPatch | null> {
  const { parent, commit } = change.changeset;
  try {
    const patch = await context.git.readPatch(parent, commit);
    return { guide: await readReadingGuide(context, change, patch), patch };
  } catch (error) {
    if (error instanceof FlameError) return null;
    throw error;
  }
}

/** The guides of the changesets that landed, by their ids. */
export async function readGuidesOfLanded(
  context: WithGit<Git>,
  { changesets, tasks }: { readonly changesets: readonly Changeset[]; readonly tasks: readonly Task[] },
): Promise<ReadonlyMap<string, ReadingGuide>> {
  const guides = new Map<string, ReadingGuide>();
  for (const changeset of changesets.filter(({ state }) => state === 'landed')) {
    const guided = await tryReadReadingGuide(context, { changeset, tasks });
    if (guided !== null) guides.set(changeset.id, guided.guide);
  }
  return guides;
}

/** The diff of a changeset in the order of its guide; null: in git's. */
export async function readGuidedDiff(
  { git }: WithGit<Pick<GitDiffs, 'diffText'>>,
  { parent, commit }: Pick<Changeset, 'parent' | 'commit'>,
  guided: GuidedPatch | null,
): Promise<string> {
  const diff = await git.diffText(parent, commit);
  return guided === null ? diff : orderDiff(diff, guided.patch.files, guided.guide);
}

/** More files are judged by what their hunks show. */
const mostTexts = 400;
const largestText = 200_000;

/** Files whose imports, names and settings are read whole: code and set-up that was there before and is no giant. */
function listPathsToRead({ files }: Patch): readonly string[] {
  return files
    .filter(isWorthReading)
    .slice(0, mostTexts)
    .map(({ path }) => path);
}

function isWorthReading({ path, status, size, hasNul, newMode, movedFrom }: PatchFile): boolean {
  const kind = kindOfFile(path);
  const isRead = kind === 'source' || kind === 'test' || kind === 'dependencies' || kind === 'ci';
  const isSame = movedFrom?.similarity === 100;
  return isRead && !isSame && !hasNul && size <= largestText && status === 'modified' && newMode.startsWith('100');
}

/** A larger tree is not searched: its tests count by their names. */
const mostSearched = 5_000;
const mostListed = 100_000;
const mostWords = 200;
const mostLinesOfFile = 200;

async function searchTree(git: Git, commit: Changeset['commit'], changes: ReadChanges): Promise<TreeSearch> {
  const paths = needsTests(changes) ? await git.listFiles(commit, mostListed) : [];
  const tests = paths.filter((path) => kindOfFile(path) === 'test');
  const words = listWordsToSearch(changes, tests).slice(0, mostWords);
  const nothing = { tests, words: new Set<string>(), lines: [] };
  if (words.length === 0 || paths.length > mostSearched) return nothing;
  // One expression: git tries several one after the other.
  const pattern = words.map((word) => word.replace(/[.$^*+?()[\]{}|\\]/g, '\\$&')).join('|');
  const found = await git.search(commit, { pattern, path: '', ignoresCase: false, mostOfFile: mostLinesOfFile });
  if (found.kind !== 'found' || found.isCut) return nothing;
  return { tests, words: new Set(words), lines: found.lines };
}
