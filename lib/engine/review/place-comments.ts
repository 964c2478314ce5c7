import type { TaskId } from '../../domain/ids.ts';
import type { GitDiffs, GitFiles } from '../../domain/ports/git-contents.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { Task } from '../../domain/state/task.ts';
import type { WithGit, Workshop } from '../workshop.ts';

const longestLine = 200;

/** A reviewer's comments by the task they are for. */
type PlacedComments = ReadonlyMap<TaskId, readonly LineComment[]>;

/** Comments go to the tasks that changed their file, or to all where none did. */
export async function placeComments(
  workshop: WithGit<GitDiffs>,
  tasks: readonly Task[],
  comments: readonly LineComment[],
): Promise<PlacedComments> {
  if (comments.length === 0) return new Map();
  const changed = new Map(await Promise.all(tasks.map((task) => changedBy(workshop, task))));
  const takersOf = (path: string): readonly Task[] => {
    const takers = tasks.filter(({ id }) => changed.get(id)?.has(path) === true);
    return takers.length === 0 ? tasks : takers;
  };
  return new Map(
    tasks.map((task) => [task.id, comments.filter(({ path }) => takersOf(path).includes(task))]),
  );
}

/** Why a comment may be meant for another line, as a sentence; null: the change has its file, and the file its line. */
export async function strayComment(
  { git }: WithGit<GitDiffs & GitFiles>,
  { parent, commit, group }: Pick<Changeset, 'parent' | 'commit' | 'group'>,
  { path, side, line }: LineComment,
): Promise<string | null> {
  const changes = await git.treeChanges(parent, commit);
  if (!changes.some((change) => change.path === path))
    return `No task of changeset ${group} changed ${path}: the comment goes to each of them.`;
  const text = (await git.readTexts(side === 'old' ? parent : commit, [path])).get(path);
  if (text === undefined || quoteLine(text, line) !== '') return null;
  const when = side === 'old' ? 'before' : 'after';
  return `${path} has no line ${line} ${when} the change of ${group}.`;
}

/** However comments came here: those that may be typing mistakes are named. */
export async function tellStrayComments(
  workshop: Pick<Workshop, 'events'> & WithGit<GitDiffs & GitFiles>,
  changeset: Changeset,
  comments: readonly LineComment[],
): Promise<void> {
  for (const comment of comments) {
    const message = await strayComment(workshop, changeset, comment);
    if (message !== null) workshop.events.emit({ event: 'notice', level: 'warning', message });
  }
}

async function changedBy(
  { git }: WithGit<GitDiffs>,
  { id, start_commit: start, commit }: Task,
): Promise<readonly [TaskId, ReadonlySet<string>]> {
  if (start === null || commit === null) return [id, new Set()];
  return [id, new Set((await git.changedFiles(start, commit)).map(({ path }) => path))];
}

/**
 * The comments, each with the line it is about and its neighbours. They are read when they are given: the commit they
 * refer to is gone when the next attempt begins.
 */
export async function quoteLines(
  { git }: WithGit<GitFiles>,
  { parent, commit }: Changeset,
  comments: readonly LineComment[],
): Promise<readonly LineComment[]> {
  if (comments.length === 0) return [];
  const pathsOf = (side: LineComment['side']): readonly string[] => [
    ...new Set(comments.filter((comment) => comment.side === side).map(({ path }) => path)),
  ];
  const texts = {
    old: await git.readTexts(parent, pathsOf('old')),
    new: await git.readTexts(commit, pathsOf('new')),
  };
  return comments.map((comment) => {
    const excerpt = quoteLine(texts[comment.side].get(comment.path) ?? '', comment.line);
    return excerpt === '' ? comment : { ...comment, excerpt };
  });
}

/** The line, marked, between its neighbours; '' where there is no such line. */
function quoteLine(text: string, line: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  if (text === '' || line > lines.length) return '';
  return [line - 1, line, line + 1]
    .filter((number) => number >= 1 && number <= lines.length)
    .map((number) => {
      const content = (lines[number - 1] ?? '').slice(0, longestLine);
      return `${number === line ? '>' : ' '} ${number} | ${content}`;
    })
    .join('\n');
}
