import { isClaimedByPerson } from '../../core/schedule/claimable-tasks.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { taskBranch } from '../../domain/ids.ts';
import { noTaskError } from '../../domain/input-errors.ts';
import type { Repository } from '../../domain/ports/git-port.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs } from '../../domain/view-models/command.ts';
import type { SelectedSession } from '../context/open-notes-context.ts';

interface TaskSelection {
  readonly snapshot: Snapshot;
  readonly repository: Repository;
  /** Checked out where the person stands; null: none. */
  readonly branch: string | null;
  readonly person: string;
  readonly selected: SelectedSession;
}

/**
 * The task a command by hand is about: the one named, else that of the current worktree, else the only
 * one they hold. Throws FlameErrors `no-task`, `no-task-named`.
 */
export function pickTask(args: CommandArgs<'task'>, standing: TaskSelection): Task {
  const { snapshot, person, selected } = standing;
  const [id] = args.positionals;
  const here = taskHere(standing);
  // Two sessions may both have the name: in a task's worktree its own session is meant.
  const isOther = selected.name !== null && here?.session !== selected.name;
  const session = here === null || isOther ? selected.require(snapshot).id : here.session;
  const tasks = snapshot.tasksOf(session);
  if (id !== undefined) {
    const named = tasks.find((task) => task.id === id);
    if (named === undefined) throw noTaskError(id, tasks);
    return named;
  }
  if (here !== null && !isOther) return here;
  const held = tasks.filter((task) => isClaimedByPerson(task, person));
  const [only, another] = held;
  if (only !== undefined && another === undefined) return only;
  throw noneNamed(args.subcommand ?? '', held);
}

/** The task whose worktree or branch the person is in. */
function taskHere({ snapshot, repository: { workTree }, branch }: TaskSelection): Task | null {
  const isIts = (task: Task): boolean =>
    (task.worktree !== null && task.worktree === workTree) ||
    (branch !== null && taskBranch(task.session, task.id) === `refs/heads/${branch}`);
  const newest = [...snapshot.sessions].reverse();
  return newest.flatMap(({ id }) => snapshot.tasksOf(id)).find(isIts) ?? null;
}

function noneNamed(subcommand: string, held: readonly Task[]): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'no-task-named',
    message: `git flame task ${subcommand} needs the id of a task.`,
    hints: [...held.slice(0, 3).map(({ id }) => `git flame task ${subcommand} ${id}`), 'git flame status'],
  });
}
