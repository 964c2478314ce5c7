import type { LostValue } from '../../core/merge/merge-values.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId, RefName } from '../../domain/ids.ts';
import type { UnusableNote } from '../../domain/ports/store-port.ts';
import type { ObjectHashFormat, UnwrittenObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { type GitContext, runGit, runGitForLines, runGitForText } from '../../git/process/run-git.ts';
import type { RefState } from '../notes/indexed-state.ts';
import { loadNotes } from '../notes/load-notes.ts';
import type { TreeNode } from '../notes/note-tree.ts';
import type { StoredNote } from '../notes/stored-note.ts';
import { stateCorrupt } from '../store-errors.ts';
import { collectObjects } from '../write/apply-change.ts';
import type { NoteMergeRules } from './merge-note.ts';
import { mergeNoteTrees, type NoteConflict } from './merge-trees.ts';
import { stateShallow } from './sync-errors.ts';

type Root<T> = TreeNode<StoredNote<T>> | null;

interface MergeContext {
  readonly context: GitContext;
  readonly catFile: CatFile;
  readonly objectFormat: ObjectHashFormat;
  readonly remote: string;
}

/** One state ref after a merge, nothing of it written yet. */
export interface MergedRef<T> {
  readonly state: RefState<T>;
  readonly outcome: 'absent' | 'same' | 'sent' | 'received' | 'merged' | 'unreadable';
  readonly conflicts: readonly NoteConflict<T>[];
  readonly objects: readonly UnwrittenObject[];
  /** Something else than notes on the remote: it is left alone, there and here. */
  readonly problem?: UnusableNote;
}

// Merges of merges of merges: deeper than any real history, and an end for an unreal one.
const deepest = 12;

interface Theirs {
  readonly tip: ObjectId | null;
  readonly ref: RefName;
}

/**
 * Merges what a remote has into one state ref; where that can't be read, what is here stays. Throws FlameError
 * `state-shallow`.
 */
export async function mergeRef<T>(
  context: MergeContext,
  kind: NoteMergeRules<T>,
  ours: RefState<T>,
  theirs: Theirs,
): Promise<MergedRef<T>> {
  try {
    if (theirs.tip !== null) await requireCommit(context, theirs.tip, theirs.ref);
    return await mergeReadable(context, kind, ours, theirs);
  } catch (error) {
    if (!(error instanceof FlameError) || error.code !== 'state-corrupt' || theirs.tip === null) throw error;
    const { tip: object } = theirs;
    const problem = { ref: kind.kind.ref, object, key: object, message: error.message };
    return { state: ours, outcome: 'unreadable', conflicts: [], objects: [], problem };
  }
}

async function requireCommit({ catFile }: MergeContext, tip: ObjectId, ref: RefName): Promise<void> {
  const object = await catFile.read(tip);
  if (object?.type !== 'commit') throw stateCorrupt(ref, tip, `is a ${object?.type}, not a commit`);
}

async function mergeReadable<T>(
  context: MergeContext,
  kind: NoteMergeRules<T>,
  ours: RefState<T>,
  theirs: Theirs,
): Promise<MergedRef<T>> {
  const nothing = { state: ours, conflicts: [], objects: [] };
  if (theirs.tip === null) return { ...nothing, outcome: ours.tip === null ? 'absent' : 'sent' };
  if (theirs.tip === ours.tip) return { ...nothing, outcome: 'same' };
  const load = (tip: ObjectId): Promise<Root<T>> =>
    tip === ours.tip
      ? Promise.resolve(ours.root)
      : loadNotes(context, { ...kind.kind, ref: theirs.ref }, tip, ours.root);
  const bases = ours.tip === null ? [] : await mergeBases(context, ours.tip, [theirs.tip]);
  if (bases[0] === theirs.tip) return { ...nothing, outcome: 'sent' };
  if (ours.tip === null) {
    const state = { ...ours, tip: theirs.tip, root: await load(theirs.tip) };
    return { ...nothing, state, outcome: 'received' };
  }
  if (bases.length === 0) await requireWhole(context, kind.kind.ref, [ours.tip, theirs.tip]);
  const virtual = new VirtualMerge(context, kind, load);
  const isAhead = bases[0] === ours.tip;
  const base = isAhead ? ours.root : await virtual.mergeAll(bases);
  const roots = { base, ours: ours.root, theirs: await load(theirs.tip) };
  const { sink, objects } = collectObjects(context.objectFormat);
  const { root, conflicts } = mergeNoteTrees(kind, roots, sink);
  const tree = root?.oid ?? sink('tree', '').oid;
  // Taken over as it is where nothing is gone from it, and nothing in it undone, that can't be.
  if (isAhead && tree === roots.theirs?.oid)
    return { ...nothing, state: { ...ours, tip: theirs.tip, root: roots.theirs }, outcome: 'received' };
  const parents: readonly ObjectId[] = [ours.tip, theirs.tip].sort();
  const text = renderMerge({
    tree,
    parents,
    conflicts,
    ref: kind.kind.ref,
    date: await latest(context, parents),
  });
  const tip = sink('commit', text).oid;
  return { state: { ...ours, tip, root }, outcome: 'merged', conflicts, objects: [...objects.values()] };
}

/** Common base of two histories that were merged with each other before: their merge bases, merged in memory. */
class VirtualMerge<T> {
  readonly #context: MergeContext;
  readonly #kind: NoteMergeRules<T>;
  readonly #load: (tip: ObjectId) => Promise<Root<T>>;

  constructor(context: MergeContext, kind: NoteMergeRules<T>, load: (tip: ObjectId) => Promise<Root<T>>) {
    this.#context = context;
    this.#kind = kind;
    this.#load = load;
  }

  async mergeAll(commits: readonly ObjectId[], depth = 0): Promise<Root<T>> {
    const [first, ...rest] = [...commits].sort();
    if (first === undefined || depth > deepest) return null;
    let root = await this.#load(first);
    const done = [first];
    for (const commit of rest) {
      const base = await this.mergeAll(await mergeBases(this.#context, commit, done), depth + 1);
      const roots = { base, ours: root, theirs: await this.#load(commit) };
      root = mergeNoteTrees(this.#kind, roots, collectObjects(this.#context.objectFormat).sink).root;
      done.push(commit);
    }
    return root;
  }
}

/** The best common ancestors of a commit and a merge of others. */
function mergeBases(
  { context }: MergeContext,
  commit: ObjectId,
  others: readonly ObjectId[],
): Promise<readonly ObjectId[]> {
  const args = ['--no-replace-objects', 'merge-base', '--all', commit, ...others];
  return runGitForLines(context, args, { accept: [0, 1] }) as Promise<ObjectId[]>;
}

async function requireWhole({ context, remote }: MergeContext, ref: string, tips: readonly ObjectId[]): Promise<void> {
  if ((await runGitForText(context, ['rev-parse', '--is-shallow-repository'])) !== 'true') return;
  const { stdout } = await runGit(context, ['log', '--format=%d', '--decorate=full', ...tips, '--']);
  if (/[(, ]grafted[,)]/.test(stdout.toString())) throw stateShallow(ref, remote);
}

/** The later time of two commits, in seconds: a merge has no clock of its own. */
async function latest({ catFile }: MergeContext, commits: readonly ObjectId[]): Promise<number> {
  const times = await Promise.all(
    commits.map(async (commit) => {
      const header = (await catFile.read(commit))?.bytes.toString('latin1').split('\n\n')[0] ?? '';
      return Number(/^committer .*> (\d+) [+-]\d{4}$/m.exec(header)?.[1] ?? 0);
    }),
  );
  return Math.max(...times);
}

interface MergeText {
  readonly tree: ObjectId;
  /** In the order of their ids. */
  readonly parents: readonly ObjectId[];
  readonly conflicts: readonly NoteConflict<unknown>[];
  readonly ref: RefName;
  /** Seconds since 1970. */
  readonly date: number;
}

// Not the person's: every clone that merges the same two commits writes the same merge, so clones never merge
// merges.
const merger = 'git flame sync <git-flame@localhost>';
const listed = 50;

/** The commit that merges two histories of a state ref; its bytes follow from its parents alone. */
function renderMerge({ tree, parents, conflicts, ref, date }: MergeText): string {
  const name = ref.replace(/^refs\/blueflame\//, '');
  const losses = conflicts.flatMap(({ note, losses: lost }) =>
    lost.map((loss) => describeLoss(note.json, note.key, loss)),
  );
  const conflictCount =
    losses.length === 0 ? 'no conflict' : `${losses.length} conflict${losses.length === 1 ? '' : 's'}`;
  const lines = [...losses].sort();
  const more = lines.length > listed ? [`and ${lines.length - listed} more`] : [];
  const sessions = new Set(conflicts.map(({ note }) => sessionOf(note.json)));
  const [session] = sessions;
  const trailers = [
    ...conflicts.flatMap(({ note }) => (note.json?.session === undefined ? [] : text(note.json.id, 'Task'))).sort(),
    ...(sessions.size === 1 ? text(session, 'Session') : []),
    'Transition: merge',
    'Actor: git flame sync',
  ];
  const parts = [
    `${name}: two clones merged, ${conflictCount}`,
    [...lines.slice(0, listed), ...more].join('\n'),
    [...new Set(trailers)].join('\n'),
  ];
  return [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${merger} ${date} +0000`,
    `committer ${merger} ${date} +0000`,
    '',
    `${parts.filter((part) => part !== '').join('\n\n')}\n`,
  ].join('\n');
}

/** `task-001: kept status done by worker-1a2b3c4d, not claimed by worker-2b3c4d5e` */
function describeLoss(json: NoteJson, key: ObjectId, { what, kept, lost }: LostValue): string {
  return `${nameNoteForPerson(json, key)}: ${what}: kept ${short(kept)}, not ${short(lost)}`;
}

type NoteJson = Readonly<Record<string, unknown>> | null;

/** Names a note: the id of its task or session, else the commit it annotates. */
export function nameNoteForPerson(json: NoteJson, key: ObjectId): string {
  return typeof json?.id === 'string' ? json.id : key;
}

function sessionOf(json: NoteJson): unknown {
  return json?.session ?? json?.id;
}

function text(value: unknown, trailer: string): string[] {
  return typeof value === 'string' ? [`${trailer}: ${short(value)}`] : [];
}

function short(value: string): string {
  const line = value.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
