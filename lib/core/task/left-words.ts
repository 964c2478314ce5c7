import type { Task } from '../../domain/state/task.ts';
import { byText } from '../../util/by-text.ts';
import { locksConflict } from '../../util/path-globs.ts';
import { boundText } from './one-line.ts';

const mostNotes = 8;
const longestNote = 1_500;
const mostCharacters = 6_000;

/** What tasks that are done left in words for one that comes after them. */
export interface LeftWords {
  readonly words: readonly { readonly task: string; readonly title: string; readonly text: string }[];
  /** How many were left out, for their number or their length. */
  readonly leftOut: number;
}

/**
 * The last words of the workers whose tasks this one needs, nearest need first, then of those that worked on paths of
 * its own or in its group, newest first. Only accepted work speaks: what a rejected attempt said is void with it.
 */
export function leftWords(task: Task, tasks: readonly Task[]): LeftWords {
  const spoken = [...needsByDistance(task, tasks), ...neighbours(task, tasks)].flatMap((one) => {
    const text = lastWords(one);
    return text === ''
      ? []
      : [{ task: one.id as string, title: one.title, text: boundText(text, longestNote) }];
  });
  let length = 0;
  const words = spoken.slice(0, mostNotes).filter(({ text }) => {
    length += text.length;
    return length <= mostCharacters;
  });
  return { words, leftOut: spoken.length - words.length };
}

/** The words of the attempt whose work counts; '' where there is none. */
function lastWords({ status, history }: Task): string {
  if (status !== 'done' && status !== 'merged') return '';
  return history.findLast(({ result }) => result === 'done')?.notes.trim() ?? '';
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
    .sort((a, b) => byText(endOf(b), endOf(a)) || byText(a.id, b.id));
}

function endOf({ history }: Task): string {
  return history.at(-1)?.timestamp ?? '';
}
