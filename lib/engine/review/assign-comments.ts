import type { TaskId } from '../../domain/ids.ts';
import type { GitDiffs, GitFiles } from '../../domain/ports/git-contents.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { LineRange } from '../../domain/state/line-range.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { type RunContext, type WithGit, warn } from '../run-context.ts';

const longestLine = 200;
/** So many lines of a long range are quoted at each end: with the longest lines they fit in an excerpt. */
const quotedEnds = 7;

/** A reviewer's comments by the task they are for. */
type PlacedComments = ReadonlyMap<TaskId, readonly LineComment[]>;

/** Comments go to the tasks that changed their file, or to all where none did. */
export async function assignCommentsToTasks(
  context: WithGit<GitDiffs>,
  tasks: readonly Task[],
  comments: readonly LineComment[],
): Promise<PlacedComments> {
  if (comments.length === 0) return new Map();
  const changed = new Map(await Promise.all(tasks.map((task) => changedBy(context, task))));
  const takersOf = (path: string): readonly Task[] => {
    const takers = tasks.filter(({ id }) => changed.get(id)?.has(path) === true);
    return takers.length === 0 ? tasks : takers;
  };
  return new Map(tasks.map((task) => [task.id, comments.filter(({ path }) => takersOf(path).includes(task))]));
}

/** Why a comment may be meant for another line, as a sentence; null: the change has its file, and the file its line. */
export async function whyCommentMayBeMisplaced(
  { git }: WithGit<GitDiffs & GitFiles>,
  { parent, commit, group }: Pick<Changeset, 'parent' | 'commit' | 'group'>,
  { path, side, line, to }: LineComment,
): Promise<string | null> {
  const changes = await git.treeChanges(parent, commit);
  if (!changes.some((change) => change.path === path))
    return `No task of changeset ${group} changed ${path}, so all its tasks receive the comment.`;
  const text = (await git.readTexts(side === 'old' ? parent : commit, [path])).get(path);
  if (text === undefined || quoteLines(text, { line, to }) !== '') return null;
  const when = side === 'old' ? 'before' : 'after';
  return `${path} has no line ${to ?? line} ${when} the change of ${group}.`;
}

/** However comments came here: those that may be typing mistakes are named. */
export async function warnOfMisplacedComments(
  context: Pick<RunContext, 'events'> & WithGit<GitDiffs & GitFiles>,
  changeset: Changeset,
  comments: readonly LineComment[],
): Promise<void> {
  for (const comment of comments) {
    const message = await whyCommentMayBeMisplaced(context, changeset, comment);
    if (message !== null) warn(context, message);
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
 * The comments, each with the lines it is about and their neighbours. They are read when they are given: the commit they
 * refer to is gone when the next attempt begins.
 */
export async function addExcerptsToComments(
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
    const excerpt = quoteLines(texts[comment.side].get(comment.path) ?? '', comment);
    return excerpt === '' ? comment : { ...comment, excerpt };
  });
}

/** The lines, marked, between their neighbours; '' where there are none such. Of many, the first and the last. */
function quoteLines(text: string, { line, to = line }: LineRange): string {
  const lines = text.replace(/\n$/, '').split('\n');
  if (text === '' || to > lines.length) return '';
  const quote = (from: number, end: number): readonly string[] =>
    lines.slice(Math.max(0, from - 1), end).map((content, index) => {
      const number = Math.max(1, from) + index;
      const mark = number >= line && number <= to ? '>' : ' ';
      return `${mark} ${number} | ${content.slice(0, longestLine)}`;
    });
  if (to - line < 2 * quotedEnds) return quote(line - 1, to + 1).join('\n');
  const left = `> … ${to - line + 1 - 2 * quotedEnds} more lines`;
  return [...quote(line - 1, line + quotedEnds - 1), left, ...quote(to - quotedEnds + 1, to + 1)].join('\n');
}
