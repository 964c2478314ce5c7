import { type BlackboardNote, type BlackboardPage, blackboardNoteLimits } from '../../domain/state/blackboard.ts';
import type { MemoryEntry } from '../../domain/state/memory.ts';
import type { SignatureNote } from '../../domain/state/signatures.ts';
import type { DiagnosticsRerun, ReviewNote, Verdict } from '../../domain/state/verdict.ts';
import { shortId } from '../../util/short-names.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { toOneLine } from '../task/bound-text.ts';
import {
  combinePreferences,
  type MergedNote,
  makeSidesReader,
  mergeById,
  mergeValue,
  type PreferenceOrder,
  toSortedKeyJson,
} from './merge-values.ts';

interface Validation {
  readonly v: 1;
  readonly rev: number;
  readonly verdicts: Verdict[];
  readonly verifications?: DiagnosticsRerun[] | undefined;
}

/** The verdicts and verifications of both clones on one commit, the latest last: none is ever lost. */
export function mergeValidationNotes(
  base: Validation | null,
  ours: Validation,
  theirs: Validation,
): MergedNote<Validation> {
  const verdicts = bothOf(base?.verdicts, ours.verdicts, theirs.verdicts);
  const verifications = bothOf(base?.verifications, ours.verifications ?? [], theirs.verifications ?? []);
  const again = verifications.length === 0 ? {} : { verifications };
  return { value: { v: 1, rev: Math.max(ours.rev, theirs.rev), verdicts, ...again }, lost: [] };
}

function bothOf<Entry extends { readonly at: string }>(
  base: readonly Entry[] | undefined,
  ours: readonly Entry[],
  theirs: readonly Entry[],
): Entry[] {
  return mergeById<Entry>(
    { base, ours, theirs },
    {
      id: toSortedKeyJson,
      prefer: combinePreferences(),
      order: combinePreferences((a, b) => compareText(a.at, b.at)),
    },
  );
}

/** Merges how one commit came to land: the earlier note is kept, unless the landing was taken back since. */
export function mergeReviewNotes(
  base: ReviewNote | null,
  ours: ReviewNote,
  theirs: ReviewNote,
): MergedNote<ReviewNote> {
  const prefer: PreferenceOrder<ReviewNote> = combinePreferences(
    (a, b) => Number(b.undone !== undefined) - Number(a.undone !== undefined),
    (a, b) => compareText(a.at, b.at),
  );
  const describe = ({ by, at }: ReviewNote): string => `approved by ${by} at ${at}`;
  return keepOne({ base, ours, theirs }, { what: 'review', prefer, describe });
}

/** Merges what is remembered of one task: the later entry is kept. */
export function mergeMemoryEntries(
  base: MemoryEntry | null,
  ours: MemoryEntry,
  theirs: MemoryEntry,
): MergedNote<MemoryEntry> {
  const prefer: PreferenceOrder<MemoryEntry> = combinePreferences((a, b) => compareText(b.at, a.at));
  const describe = ({ status, at }: MemoryEntry): string => `${status} at ${at}`;
  return keepOne({ base, ours, theirs }, { what: 'memory', prefer, describe });
}

/** One of two notes as a whole. The number of changes is no change by itself. */
function keepOne<Note extends { readonly rev: number }>(
  { base, ours, theirs }: { readonly base: Note | null; readonly ours: Note; readonly theirs: Note },
  rules: {
    readonly what: string;
    readonly prefer: PreferenceOrder<Note>;
    readonly describe: (note: Note) => string;
  },
): MergedNote<Note> {
  const { what, prefer, describe } = rules;
  const rev = Math.max(ours.rev, theirs.rev);
  const sides = makeSidesReader(base, ours, theirs)((note) => ({ ...note, rev }));
  const { value, loser } = mergeValue(sides, prefer);
  return {
    value,
    lost: loser === null ? [] : [{ what, kept: describe(value), lost: describe(loser.value) }],
  };
}

/** Merges the signatures of one session: each clone's are kept, unless that clone replaced them. */
export function mergeSignatureNotes(
  base: SignatureNote | null,
  ours: SignatureNote,
  theirs: SignatureNote,
): MergedNote<SignatureNote> {
  const seals = bothOf(base?.seals, ours.seals, theirs.seals);
  return { value: { ...ours, rev: Math.max(ours.rev, theirs.rev), seals }, lost: [] };
}

/**
 * Merges the notes left in two clones: those either added are there, those either removed are not. Where these are more
 * than are allowed, the newest stay.
 */
export function mergeBlackboardPages(
  base: BlackboardPage | null,
  ours: BlackboardPage,
  theirs: BlackboardPage,
): MergedNote<BlackboardPage> {
  const all = mergeById<BlackboardNote>(
    { base: base?.notes, ours: ours.notes, theirs: theirs.notes },
    {
      id: ({ id }) => id,
      prefer: combinePreferences(),
      order: combinePreferences((a, b) => compareText(a.at, b.at)),
    },
  );
  const most = ours.task === null ? blackboardNoteLimits.ofSession : blackboardNoteLimits.ofTask;
  const kept = all.slice(-most);
  const lost = all.slice(0, -most).map((note) => ({
    what: `note ${shortId(note.id)}`,
    kept: `the newest ${most}`,
    lost: toOneLine(note.text),
  }));
  return { value: { ...ours, rev: Math.max(ours.rev, theirs.rev), notes: kept }, lost };
}
