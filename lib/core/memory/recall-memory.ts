import type { MemoryEntry } from '../../domain/state/memory.ts';
import { byText, groupBy } from '../../util/sort-and-group.ts';
import { oneLine } from '../task/one-line.ts';
import { type Relevance, relevanceTo } from './relevance.ts';

export interface RecallOptions {
  readonly objective: string;
  /** Older sessions are one line each; Infinity: never. */
  readonly summarizeAfter: number;
  /** Number of sessions whose failures stay whole. */
  readonly preserveFailures: number;
  /** Most bytes of the answer, in UTF-8. */
  readonly maxBytes: number;
}

/** One paragraph that may be included, below the heading of its session. */
interface Piece {
  /** 0 is the newest session. */
  readonly age: number;
  readonly order: number;
  readonly text: string;
  readonly score: number;
}

// From here on, a task of an old session is worth a line of its own.
const relevantFrom = 0.3;
const omission = (count: number): string => `(${count} older or less related entries are left out.)`;

/**
 * Renders what earlier sessions left, for a planner: the latest and what is related to the objective first, old
 * sessions as one line, failures longer, never above `maxBytes`. Newest session first; '' if there is nothing. The
 * order of the entries doesn't matter.
 */
export function recallMemory(entries: readonly MemoryEntry[], options: RecallOptions): string {
  const relevance = relevanceTo(options.objective);
  const sessions = bySession(entries);
  const pieces = sessions.flatMap((session, age) => describeSession(session, age, { relevance, options }));
  const best = [...pieces].sort((a, b) => b.score - a.score || a.age - b.age || a.order - b.order);
  const reserved = byteLength(omission(pieces.length)) + 1;
  const chosen = new Set<Piece>();
  let used = 0;
  let left = 0;
  for (const piece of best) {
    const bytes = byteLength(piece.text) + 1;
    if (used + bytes > options.maxBytes - reserved) left += 1;
    else {
      chosen.add(piece);
      used += bytes;
    }
  }
  const told = pieces.filter((piece) => chosen.has(piece)).map(({ text }) => text);
  if (told.length === 0) return '';
  return [...told, ...(left > 0 ? [omission(left)] : [])].join('\n');
}

/** Newest first: session ids begin with the time. */
function bySession(entries: readonly MemoryEntry[]): readonly (readonly MemoryEntry[])[] {
  const order = (entry: MemoryEntry): string => (entry.kind === 'summary' ? '' : (entry.task ?? ''));
  return [...groupBy(entries, ({ session }) => session)]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([, list]) => list.sort((a, b) => byText(order(a), order(b))));
}

interface Recall {
  readonly relevance: Relevance;
  readonly options: RecallOptions;
}

function describeSession(
  entries: readonly MemoryEntry[],
  age: number,
  { relevance, options }: Recall,
): readonly Piece[] {
  const isOld = age >= options.summarizeAfter;
  const keepsFailures = age < options.preserveFailures;
  const freshness = 1 / (1 + age);
  return entries.flatMap((entry, order): Piece[] => {
    const related = relevance(entry);
    const place = { age, order };
    if (entry.kind === 'summary')
      return [{ ...place, text: describeSummary(entry), score: 1 + freshness + related }];
    if (entry.kind === 'failure' && keepsFailures)
      return [{ ...place, text: describeFailure(entry), score: 0.75 + freshness + related }];
    if (isOld && related < relevantFrom) return [];
    return [{ ...place, text: describeResult(entry, isOld ? 120 : 300), score: freshness + related }];
  });
}

function describeSummary({ session, title, notes, at }: MemoryEntry): string {
  return `${session}, ${at.slice(0, 10)}: ${title}. ${oneLine(notes, 200)}`;
}

function describeResult({ session, task, title, status, paths, notes }: MemoryEntry, max: number): string {
  const where = paths.length === 0 ? '' : ` [${oneLine(paths.join(', '), 160)}]`;
  const told = oneLine(notes, max);
  return `- ${status}: ${title} (${session}/${task ?? ''})${where}${told === '' ? '' : `: ${told}`}`;
}

function describeFailure(entry: MemoryEntry): string {
  const attempts = entry.attempts.map(
    ({ attempt, result, notes }) => `\n  attempt ${attempt}, ${result}: ${oneLine(notes, 400)}`,
  );
  return `${describeResult(entry, 600)}${attempts.join('')}`;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
