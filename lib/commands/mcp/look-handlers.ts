import { countingNotes } from '../../core/blackboard/notes-for.ts';
import { budgetState } from '../../core/schedule/budget-state.ts';
import { spendingApart } from '../../core/schedule/spending-apart.ts';
import { boundText, oneLine } from '../../core/task/one-line.ts';
import { noTask } from '../../domain/not-found.ts';
import { hasWork, type Task } from '../../domain/state/task.ts';
import {
  listRepositoryFolder,
  readRepositoryFile,
  searchRepository,
} from '../../engine/queen/read-repository.ts';
import { noSessionYet, planNotApproved, refusal } from '../../engine/queen/refusals.ts';
import type { SessionView } from '../../engine/record.ts';
import { baseTip } from '../../engine/start-point.ts';
import { findBase } from '../../engine/work/preflight.ts';
import { describePlanned, describeTask, waitsForLead } from './describe-task.ts';
import type { Desk, DeskView } from './desk.ts';
import type { InputOf } from './inputs.ts';
import type { OutputOf } from './outputs.ts';
import type { ToolAnswer } from './tool.ts';

export { waitForWorkers } from './wait-handler.ts';

const pageOfTasks = 50;
const pageOfText = 8_000;
const mostDiffBytes = 4_000_000;

export async function getStatus(
  desk: Desk,
  { cursor }: InputOf<'getStatus'>,
): Promise<ToolAnswer<'get_status'>> {
  const look = await desk.look();
  if (look.view === null) return { session: null, next: 'create_tasks with an objective begins a session' };
  return describeSession(look, look.view, { cursor, trouble: desk.work.trouble });
}

function describeSession(
  { config }: DeskView,
  view: SessionView,
  { cursor, trouble }: { readonly cursor: number; readonly trouble: Desk['work']['trouble'] },
): OutputOf<'get_status'> {
  const { session, tasks, received } = view;
  const { unit, limit } = budgetState(config, session);
  const rows = tasks.slice(cursor, cursor + pageOfTasks);
  const after = cursor + pageOfTasks;
  const longest = Math.max(tasks.length, session.proposal?.length ?? 0);
  const planned = session.proposal?.slice(cursor, cursor + pageOfTasks) ?? [];
  return {
    session: {
      id: session.id,
      objective: oneLine(session.objective, 500),
      state: session.state,
      wave: session.wave,
      cycle: session.cycle,
      spent: { usd: Number(session.cost_usd.toFixed(4)), tokens: session.tokens },
      ...spendingApart(session),
      budget: limit === 0 ? 'unlimited' : { [unit]: limit },
    },
    waits_for_lead: waitsForLead(view),
    ...(session.proposal === null
      ? {}
      : { proposed: planned.map(describePlanned), proposed_in_all: session.proposal.length }),
    ...(session.replan_notes === null || session.proposal !== null
      ? {}
      : { lead_said: boundText(session.replan_notes, 2_000) }),
    tasks: rows.map((task) => describeTask(view, task, config.concurrency.development)),
    tasks_in_all: tasks.length,
    ...(received.length === 0 ? {} : { from_other_clones: received.length }),
    ...(trouble === null ? {} : { trouble }),
    next_cursor: after < longest ? after : null,
  };
}

export async function getTaskOutput(
  desk: Desk,
  { task_id, part, offset }: InputOf<'getTaskOutput'>,
): Promise<ToolAnswer<'get_task_output'>> {
  const { reading, view } = await desk.look();
  const task = findTask(view, task_id);
  const { id, status, commit } = task;
  const text = await partOf(reading, requireView(view), { task, part });
  const end = offset + pageOfText;
  return {
    task_id: id,
    status,
    commit: commit ?? null,
    part,
    text: text.slice(offset, end),
    characters_in_all: text.length,
    next_offset: end < text.length ? end : null,
  };
}

async function partOf(
  { git }: DeskView['reading'],
  { snapshot }: SessionView,
  { task, part }: { readonly task: Task; readonly part: 'summary' | 'checks' | 'diff' | 'plan' },
): Promise<string> {
  const { commit, history, result, reason } = task;
  if (part === 'plan') {
    const { description, acceptance_criteria, constraints, file_locks, dependencies } = task;
    return JSON.stringify(
      { title: task.title, description, acceptance_criteria, constraints, file_locks, dependencies },
      null,
      1,
    );
  }
  if (part === 'diff') {
    if (!hasWork(task))
      throw refusal({
        code: 'not-done',
        message: `${task.id} is ${task.status} and has no accepted work to show.`,
        next: 'get_task_output with part summary tells how it stands',
      });
    return git.diffText(task.start_commit, task.commit, { maxBytes: mostDiffBytes });
  }
  const verdict = commit === null ? undefined : snapshot.verdictsOn(commit).at(-1);
  if (part === 'checks') {
    const runs = verdict?.diagnostics ?? [];
    return runs.length === 0
      ? 'No diagnostics were run on its present commit.'
      : JSON.stringify(
          runs.map(({ command, exit_code, timed_out, output }) => ({
            command,
            exit_code,
            timed_out,
            output,
          })),
          null,
          1,
        );
  }
  const attempts = history.map(({ attempt, result: end, notes, rejection_reason: rejected }) => ({
    attempt,
    result: end,
    notes,
    ...(rejected === null ? {} : { rejected }),
  }));
  const found =
    result.status === null
      ? null
      : { status: result.status, notes: result.notes, issues: result.issues, by: verdict?.by };
  const notes = countingNotes(task, snapshot.blackboardOf(task.session)).map((note) => note.text);
  const left = notes.length === 0 ? {} : { notes };
  return JSON.stringify({ title: task.title, reason, verdict: found, ...left, attempts }, null, 1);
}

export async function readFile(
  desk: Desk,
  { path, task_id, line, lines }: InputOf<'readFile'>,
): Promise<ToolAnswer<'read_file'>> {
  const look = await desk.look();
  const commit = await commitOf(look, task_id);
  const { config, reading } = look;
  return { ...(await readRepositoryFile({ config, git: reading.git }, { commit, path, line, lines })) };
}

export async function listFiles(
  desk: Desk,
  { path, task_id, cursor }: InputOf<'listFiles'>,
): Promise<ToolAnswer<'list_files'>> {
  const look = await desk.look();
  const commit = await commitOf(look, task_id);
  const { config, reading } = look;
  return { ...(await listRepositoryFolder({ config, git: reading.git }, { commit, path, cursor })) };
}

export async function searchFiles(
  desk: Desk,
  { pattern, path, task_id, ignore_case: ignoresCase, cursor }: InputOf<'searchFiles'>,
): Promise<ToolAnswer<'search_files'>> {
  const look = await desk.look();
  const commit = await commitOf(look, task_id);
  const { config, reading } = look;
  const asked = { commit, pattern, path, ignoresCase, cursor };
  return { ...(await searchRepository({ config, git: reading.git }, asked)) };
}

async function commitOf({ reading, config, root, view }: DeskView, taskId: string | undefined) {
  if (taskId !== undefined) {
    const task = findTask(view, taskId);
    if (task.commit !== null) return task.commit;
    throw refusal({
      code: 'not-done',
      message: `${task.id} is ${task.status} and has no accepted work yet.`,
      next: 'Leave task_id out to see the base branch',
    });
  }
  if (view !== null) return baseTip({ git: reading.git }, view.session);
  return (await findBase({ config, root, git: reading.git })).commit;
}

function requireView(view: SessionView | null): SessionView {
  if (view === null) throw noSessionYet();
  return view;
}

function findTask(view: SessionView | null, id: string): Task {
  const { session, tasks } = requireView(view);
  const task = tasks.find((one) => one.id === id);
  if (task === undefined && session.proposal?.some((one) => one.id === id) === true) throw planNotApproved();
  if (task === undefined) throw noTask(id).withHints(['get_status names the tasks there are'], 'model');
  return task;
}
