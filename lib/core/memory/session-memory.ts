import type { MemoryEntry } from '../../domain/state/memory.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { HistoryEntry, Task } from '../../domain/state/task-schema.ts';
import { compareText, groupBy } from '../../util/sort-and-group.ts';
import { boundText, toOneLine } from '../task/bound-text.ts';

export interface MemoryRenderOptions {
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
const omission = (count: number): string => `(${count} older or less related entries are not shown.)`;

/**
 * Renders what earlier sessions left, for a planner: the latest and what is related to the objective first, old
 * sessions as one line, failures longer, never above `maxBytes`. Newest session first; '' if there is nothing. The
 * order of the entries doesn't matter.
 */
export function renderMemoryForPlanner(entries: readonly MemoryEntry[], options: MemoryRenderOptions): string {
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
  const texts = pieces.filter((piece) => chosen.has(piece)).map(({ text }) => text);
  if (texts.length === 0) return '';
  return [...texts, ...(left > 0 ? [omission(left)] : [])].join('\n');
}

/** Newest first: session ids begin with the time. */
function bySession(entries: readonly MemoryEntry[]): readonly (readonly MemoryEntry[])[] {
  const order = (entry: MemoryEntry): string => (entry.kind === 'summary' ? '' : (entry.task ?? ''));
  return [...groupBy(entries, ({ session }) => session)]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([, list]) => list.sort((a, b) => compareText(order(a), order(b))));
}

interface Recall {
  readonly relevance: Relevance;
  readonly options: MemoryRenderOptions;
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
    if (entry.kind === 'summary') return [{ ...place, text: describeSummary(entry), score: 1 + freshness + related }];
    if (entry.kind === 'failure' && keepsFailures)
      return [{ ...place, text: describeFailure(entry), score: 0.75 + freshness + related }];
    if (isOld && related < relevantFrom) return [];
    return [{ ...place, text: describeResult(entry, isOld ? 120 : 300), score: freshness + related }];
  });
}

function describeSummary({ session, title, notes, at }: MemoryEntry): string {
  return `${session}, ${at.slice(0, 10)}: ${title}. ${toOneLine(notes, 200)}`;
}

function describeResult({ session, task, title, status, paths, notes }: MemoryEntry, max: number): string {
  const where = paths.length === 0 ? '' : ` [${toOneLine(paths.join(', '), 160)}]`;
  const text = toOneLine(notes, max);
  return `- ${status}: ${title} (${session}/${task ?? ''})${where}${text === '' ? '' : `: ${text}`}`;
}

function describeFailure(entry: MemoryEntry): string {
  const attempts = entry.attempts.map(
    ({ attempt, result, notes }) => `\n  attempt ${attempt}, ${result}: ${toOneLine(notes, 400)}`,
  );
  return `${describeResult(entry, 600)}${attempts.join('')}`;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/** From 0, nothing in common, to about 2. */
type Relevance = (entry: MemoryEntry) => number;

// Words that say nothing about what a task is about.
const common = new Set(
  'add all also and any are but can change each fix for from has have into its make more must new not now of on only or one our out should so that the then there this to update use when where which will with without'.split(
    ' ',
  ),
);

/**
 * Scores how relevant an entry is to an objective: the part of the objective's words it shares, and more where the
 * objective names one of its paths. Equal texts score equally, in any language.
 */
function relevanceTo(objective: string): Relevance {
  const wanted = wordsOf(objective);
  const text = objective.toLowerCase();
  return ({ title, notes, paths }) => {
    if (wanted.size === 0) return 0;
    const own = wordsOf([title, notes, ...paths].join(' '));
    const shared = [...wanted].filter((word) => own.has(word)).length;
    const isNamed = paths.some((path) => text.includes(plainPath(path)));
    return shared / wanted.size + (isNamed ? 1 : 0);
  };
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return new Set(words.filter((word) => !common.has(word)));
}

/** The part of a glob before its first wildcard; something no text holds where nothing is left. */
function plainPath(glob: string): string {
  const plain = (glob.toLowerCase().split(/[*?[{]/)[0] ?? '').replace(/\/+$/, '');
  return plain.length < 3 ? '\0' : plain;
}

const attemptsKept = 3;
const pathsKept = 100;

/**
 * Lists the memory entries of a session: each task that has ended for good, and, once the session has ended, its
 * outcome as a whole. Without `withFailures` only what was merged. The same notes give the same entries.
 */
export function listMemoryEntries(
  session: Session,
  tasks: readonly Task[],
  { withFailures }: { readonly withFailures: boolean },
): readonly MemoryEntry[] {
  const hasEnded = session.state === 'ended';
  const entries = tasks.flatMap((task) => entryOf(task, hasEnded) ?? []);
  const kept = entries.filter(({ kind }) => withFailures || kind === 'result');
  return hasEnded ? [...kept, summaryOf(session, tasks)] : kept;
}

/** null: it may still come to something. */
function entryOf(task: Task, hasEnded: boolean): MemoryEntry | null {
  const isDone = task.status === 'merged';
  const isLost = task.status === 'dropped' || (hasEnded && task.status !== 'done');
  if (!isDone && !isLost) return null;
  const { result, reason } = task;
  const notes = [reason ?? '', result.notes, ...result.issues.map((issue) => `- ${issue}`)];
  return {
    v: 1,
    rev: 1,
    kind: isDone ? 'result' : 'failure',
    session: task.session,
    task: task.id,
    title: toOneLine(task.title) || task.id,
    status: task.status,
    paths: task.file_locks.slice(0, pathsKept),
    notes: boundText([...new Set(notes)].filter((text) => text !== '').join('\n'), isDone ? 1_000 : 4_000),
    attempts: isDone && task.history.length < 2 ? [] : task.history.slice(-attemptsKept).map(attemptOf),
    cost_usd: sum(task.history.map(({ cost_usd }) => cost_usd)),
    tokens: sum(task.history.map(({ tokens_used }) => tokens_used)),
    at: task.updated_at,
  };
}

function attemptOf({ attempt, result, notes, rejection_reason: rejection }: HistoryEntry) {
  const notesText = rejection === null || rejection === notes ? notes : `${notes}\nRejected: ${rejection}`;
  return { attempt, result: toOneLine(result, 50) || 'ended', notes: boundText(notesText, 2_000) };
}

function summaryOf(session: Session, tasks: readonly Task[]): MemoryEntry {
  const counts = new Map<string, number>();
  for (const { status } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1);
  const counted = [...counts].sort().map(([status, count]) => `${count} ${status}`);
  return {
    v: 1,
    rev: 1,
    kind: 'summary',
    session: session.id,
    task: null,
    title: toOneLine(session.objective) || session.id,
    status: session.state,
    paths: [...new Set(tasks.flatMap(({ file_locks }) => file_locks))].sort().slice(0, pathsKept),
    notes: boundText(
      `${tasks.length} tasks${counted.length === 0 ? '' : `: ${counted.join(', ')}`}; ${session.cycle} cycles.`,
    ),
    attempts: [],
    cost_usd: session.cost_usd,
    tokens: session.tokens,
    at: session.updated_at,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
