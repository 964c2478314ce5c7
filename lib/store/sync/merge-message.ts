import type { Loss } from '../../core/merge/merge-values.ts';
import type { ObjectId, RefName } from '../../domain/ids.ts';
import type { NoteConflict } from './merge-trees.ts';

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
export function renderMerge({ tree, parents, conflicts, ref, date }: MergeText): string {
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
    ...conflicts
      .flatMap(({ note }) => (note.json?.session === undefined ? [] : text(note.json.id, 'Task')))
      .sort(),
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
function describeLoss(json: NoteJson, key: ObjectId, { what, kept, lost }: Loss): string {
  return `${nameOf(json, key)}: ${what}: kept ${short(kept)}, not ${short(lost)}`;
}

type NoteJson = Readonly<Record<string, unknown>> | null;

/** Names a note: the id of its task or session, else the commit it annotates. */
export function nameOf(json: NoteJson, key: ObjectId): string {
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
