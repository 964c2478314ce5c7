import type { BlackboardNote, BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { locksConflict } from '../../util/path-globs.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { boundText } from '../task/bound-text.ts';

const mostNotes = 12;
const longestNote = 1_500;
const mostCharacters = 6_000;

/** Notes that the worker of one task is shown, and how many are left out. */
export interface NotesForTask {
  /** `from` says who: a task with its title, or who leads. */
  readonly words: readonly { readonly from: string; readonly text: string }[];
  /** How many were left out, for their number or their length. */
  readonly leftOut: number;
}

/** Notes left by the tasks of a session, and who leads it. */
export interface Blackboard {
  readonly tasks: readonly Task[];
  readonly pages: readonly BlackboardPage[];
}

/**
 * Selects the notes for a task: first those of who leads, then of the workers of its dependencies, nearest first, then
 * of those that worked on its paths or in its group; each newest first. Notes of rejected attempts are left out.
 */
export function selectNotesForTask(task: Task, board: Blackboard): NotesForTask {
  const workers = [...needsByDistance(task, board.tasks), ...neighbours(task, board.tasks)];
  const spoken = [
    ...ledNotes(task, board.pages),
    ...workers.flatMap((one) => wordsOf(one, board.pages).map((text) => ({ from: `${one.id} (${one.title})`, text }))),
  ].map(({ from, text }) => ({ from, text: boundText(text, longestNote) }));
  let length = 0;
  const words = spoken.slice(0, mostNotes).filter(({ text }) => {
    length += text.length;
    return length <= mostCharacters;
  });
  return { words, leftOut: spoken.length - words.length };
}

/** The notes of the attempt at a task whose work counts, the newest first; none where no work does. */
export function listNotesOfAcceptedAttempt(
  { id, status, history }: Pick<Task, 'id' | 'status' | 'history'>,
  pages: readonly BlackboardPage[],
): readonly BlackboardNote[] {
  if (status !== 'done' && status !== 'merged') return [];
  const agent = history.findLast(({ result }) => result === 'done')?.agent_id ?? null;
  const page = pages.find(({ task }) => task === id);
  return (page?.notes ?? []).filter(({ by }) => by === agent).toReversed();
}

/** Notes a worker left on purpose; its last message where it left none. */
function wordsOf(task: Task, pages: readonly BlackboardPage[]): readonly string[] {
  const left = listNotesOfAcceptedAttempt(task, pages);
  if (left.length > 0) return left.map(({ text }) => text);
  const { status, history } = task;
  if (status !== 'done' && status !== 'merged') return [];
  const last = history.findLast(({ result }) => result === 'done')?.notes.trim() ?? '';
  return last === '' ? [] : [last];
}

/** Those that name the task first, then those about its paths, then those for all. */
function ledNotes(task: Task, pages: readonly BlackboardPage[]): NotesForTask['words'] {
  const page = pages.find(({ task: about }) => about === null);
  const ranked = (page?.notes ?? []).map((note) => ({ note, rank: rankOf(note, task) }));
  return ranked
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || compareText(b.note.at, a.note.at))
    .map(({ note }) => ({ from: `the lead (${note.by})`, text: note.text }));
}

/** Whether a note of who leads is for a task. */
export function isNoteForTask(note: BlackboardNote, task: Task): boolean {
  return rankOf(note, task) !== null;
}

/** null: it is meant for others. */
function rankOf({ tasks, paths }: BlackboardNote, task: Task): number | null {
  if (tasks.includes(task.id)) return 0;
  if (paths.some((path) => task.file_locks.some((lock) => locksConflict(path, lock)))) return 1;
  return tasks.length === 0 && paths.length === 0 ? 2 : null;
}

function needsByDistance(task: Task, tasks: readonly Task[]): readonly Task[] {
  const byId = new Map<string, Task>(tasks.map((one) => [one.id, one]));
  const found = new Map<string, Task>();
  let level: readonly Task[] = [task];
  while (level.length > 0) {
    const next = level
      .flatMap(({ dependencies }) => dependencies)
      .flatMap((id) => (found.has(id) || id === task.id ? [] : (byId.get(id) ?? [])));
    for (const one of next) found.set(one.id, one);
    level = [...new Set(next)];
  }
  return [...found.values()];
}

function neighbours(task: Task, tasks: readonly Task[]): readonly Task[] {
  const needed = new Set(needsByDistance(task, tasks).map(({ id }) => id));
  const isNear = (one: Task): boolean =>
    one.cohesion_group === task.cohesion_group ||
    one.file_locks.some((lock) => task.file_locks.some((own) => locksConflict(own, lock)));
  return tasks
    .filter((one) => one.id !== task.id && !needed.has(one.id) && isNear(one))
    .sort((a, b) => compareText(endOf(b), endOf(a)) || compareText(a.id, b.id));
}

function endOf({ history }: Task): string {
  return history.at(-1)?.timestamp ?? '';
}
