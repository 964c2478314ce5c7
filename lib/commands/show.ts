import { doubtsOf } from '../core/compare-evidence.ts';
import type { Changeset } from '../domain/changeset.ts';
import type { CommandArgs } from '../domain/command-args.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { Io } from '../domain/io.ts';
import type { Session } from '../domain/session.ts';
import { statusOf } from '../domain/status.ts';
import type { Snapshot } from '../domain/store-port.ts';
import type { Task } from '../domain/task.ts';
import { renderChangeset } from '../ui/render-changeset.ts';
import { renderDiff } from '../ui/render-diff.ts';
import { renderStatus } from '../ui/render-status.ts';
import { renderTask } from '../ui/render-task.ts';
import { nextCommand } from './wiring/next-command.ts';
import { type Reading, requireSession, withState } from './wiring/read-state.ts';

/** `git flame show [TASK|AGENT|CHANGESET]`: the whole story of one thing. */
export function run(args: CommandArgs<'show'>, io: Io): Promise<number> {
  return withState(args, io, async (reading) => {
    const snapshot = await reading.store.snapshot();
    const session = requireSession(snapshot, args);
    const tasks = snapshot.tasksOf(session.id);
    const [name] = args.positionals;
    if (name === undefined) return showSession(reading, session, tasks);
    const task = tasks.find(
      ({ id, agent_id, history }) =>
        id === name || agent_id === name || history.some((entry) => entry.agent_id === name),
    );
    if (task !== undefined)
      return showTask(reading, { snapshot, session, task, isDiffWanted: args.options.diff });
    const changeset = session.changesets.findLast(({ id, group }) => id === name || group === name);
    if (changeset !== undefined)
      return showChangeset(reading, { snapshot, session, changeset, isDiffWanted: args.options.diff });
    throw new FlameError({
      kind: 'refused',
      code: 'nothing-named-so',
      message: `Session ${session.id} has no task, agent or changeset named ${JSON.stringify(name)}.`,
      hints: ['git flame status'],
    });
  });
}

function showSession({ output }: Reading, session: Session, tasks: readonly Task[]): number {
  const status = statusOf(session, tasks, []);
  output.json(session);
  output.result(renderStatus(status, output.style, { now: new Date(), next: nextCommand(session, tasks) }));
  return 0;
}

interface TaskView {
  readonly snapshot: Snapshot;
  readonly session: Session;
  readonly task: Task;
  readonly isDiffWanted: boolean;
}

async function showTask(
  { git, output }: Reading,
  { snapshot, session, task, isDiffWanted }: TaskView,
): Promise<number> {
  const verdicts = task.commit === null ? [] : snapshot.verdictsOn(task.commit);
  const verifications = task.commit === null ? [] : snapshot.verificationsOn(task.commit);
  const doubts = doubtsOf(snapshot, [task]);
  const next = nextCommand(session, snapshot.tasksOf(session.id));
  output.json({ task, verdicts, verifications, doubts });
  output.result(renderTask({ task, verdicts, doubts, next }, output.style));
  if (isDiffWanted && task.commit !== null && task.start_commit !== null) {
    output.result(renderDiff(await git.diffText(task.start_commit, task.commit), output.style));
  }
  return 0;
}

interface SetView {
  readonly snapshot: Snapshot;
  readonly session: Session;
  readonly changeset: Changeset;
  readonly isDiffWanted: boolean;
}

async function showChangeset(
  { git, output }: Reading,
  { snapshot, session, changeset, isDiffWanted }: SetView,
): Promise<number> {
  const tasks = snapshot.tasksOf(session.id).filter(({ id }) => changeset.tasks.includes(id));
  const verdicts = tasks.flatMap(({ commit }) =>
    commit === null ? [] : snapshot.verdictsOn(commit).slice(-1),
  );
  const position = session.changesets.indexOf(changeset) + 1;
  const doubts = doubtsOf(snapshot, tasks);
  output.json({ changeset, verdicts, doubts });
  output.result(
    renderChangeset(
      { changeset, position, total: session.changesets.length, tasks, verdicts, doubts, session },
      output.style,
    ),
  );
  if (isDiffWanted)
    output.result(renderDiff(await git.diffText(changeset.parent, changeset.commit), output.style));
  return 0;
}
