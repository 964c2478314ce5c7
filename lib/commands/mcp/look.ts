import { countingNotes } from '../../core/blackboard/notes-for.ts';
import { budgetState, spendingApart } from '../../core/schedule/budget-state.ts';
import { boundText, oneLine } from '../../core/task/one-line.ts';
import { noTask } from '../../domain/bad-input.ts';
import type { Config } from '../../domain/config/config.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { hasWork, type Task } from '../../domain/state/task.ts';
import { noSessionYet, planNotApproved, refusal } from '../../engine/lead-agent/refusals.ts';
import type { SessionView } from '../../engine/record.ts';
import { baseTip } from '../../engine/start-point.ts';
import { findBase } from '../../engine/work/preflight.ts';
import { describePlanned, describeTask, waitsForLead } from './describe.ts';
import type { LeadSession, LeadView } from './lead-session.ts';
import type { OutputOf } from './outputs.ts';
import type { InputOf } from './tool-table.ts';

const pageOfTasks = 50;
const pageOfText = 8_000;
const mostDiffBytes = 4_000_000;

/** A page of how a session stands. */
export function describeSession(
  config: Config,
  view: SessionView,
  { cursor, trouble }: { readonly cursor: number; readonly trouble: LeadSession['trouble'] },
): OutputOf<'get_status'> {
  const { session, tasks, received } = view;
  const { id, objective, state, wave, cycle, proposal, replan_notes: notes } = session;
  const { unit, limit } = budgetState(config, session);
  const after = cursor + pageOfTasks;
  const planned = proposal?.slice(cursor, after).map(describePlanned);
  return {
    session: {
      id,
      objective: oneLine(objective, 500),
      state,
      wave,
      cycle,
      spent: { usd: Number(session.cost_usd.toFixed(4)), tokens: session.tokens },
      ...spendingApart(session),
      budget: limit === 0 ? 'unlimited' : { [unit]: limit },
    },
    waits_for_lead: waitsForLead(view),
    ...(planned === undefined ? {} : { proposed: planned, proposed_in_all: proposal?.length }),
    ...(notes === null || proposal !== null ? {} : { lead_said: boundText(notes, 2_000) }),
    tasks: tasks.slice(cursor, after).map((task) => describeTask(view, task, config.concurrency.development)),
    tasks_in_all: tasks.length,
    ...(received.length === 0 ? {} : { from_other_clones: received.length }),
    ...(trouble === null ? {} : { trouble }),
    next_cursor: after < Math.max(tasks.length, proposal?.length ?? 0) ? after : null,
  };
}

/** A page of what is known of a task. Throws FlameErrors `no-session`, `no-task`, `plan-not-approved`, `not-done`. */
export async function taskOutput(
  { reading, view }: LeadView,
  { task_id, part, offset }: InputOf<'get_task_output'>,
): Promise<OutputOf<'get_task_output'>> {
  const task = findTask(view, task_id);
  const text = part === 'diff' ? await diffOf(reading, task) : json(partOf(view, task, part));
  const end = offset + pageOfText;
  return {
    task_id: task.id,
    status: task.status,
    commit: task.commit,
    part,
    text: text.slice(offset, end),
    characters_in_all: text.length,
    next_offset: end < text.length ? end : null,
  };
}

function json(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}

async function diffOf({ git }: LeadView['reading'], task: Task): Promise<string> {
  if (hasWork(task)) return git.diffText(task.start_commit, task.commit, { maxBytes: mostDiffBytes });
  const next = 'get_task_output with part summary tells how it stands';
  const message = `${task.id} is ${task.status} and has no accepted work to show.`;
  throw refusal({ code: 'not-done', message, next });
}

function partOf(view: SessionView | null, task: Task, part: 'summary' | 'checks' | 'plan'): unknown {
  const { title, commit, history, result, reason } = task;
  if (part === 'plan') {
    const { description, acceptance_criteria, constraints, file_locks, dependencies } = task;
    return { title, description, acceptance_criteria, constraints, file_locks, dependencies };
  }
  const verdict = commit === null ? undefined : view?.snapshot.verdictsOn(commit).at(-1);
  if (part === 'checks') {
    const runs = verdict?.diagnostics ?? [];
    if (runs.length === 0) return 'No diagnostics were run on its present commit.';
    return runs.map(({ command, exit_code, timed_out, output }) => ({
      command,
      exit_code,
      timed_out,
      output,
    }));
  }
  const { status, notes, issues } = result;
  const attempts = history.map(({ attempt, result: end, notes: why, rejection_reason: rejected }) => ({
    attempt,
    result: end,
    notes: why,
    ...(rejected === null ? {} : { rejected }),
  }));
  const left = view === null ? [] : countingNotes(task, view.snapshot.blackboardOf(task.session));
  return {
    title,
    reason,
    verdict: status === null ? null : { status, notes, issues, by: verdict?.by },
    ...(left.length === 0 ? {} : { notes: left.map((note) => note.text) }),
    attempts,
  };
}

/** Opens the files a tool reads: the accepted work of a task, else the base. */
export async function readingOf({ host }: LeadSession, id: string | undefined) {
  const { reading, config, root, view } = await host.look();
  const { git } = reading;
  if (id !== undefined) return { git, config, commit: workOf(findTask(view, id)) };
  const base =
    view === null ? (await findBase({ config, root, git })).commit : baseTip({ git }, view.session);
  return { git, config, commit: await base };
}

function workOf({ id, commit, status }: Task): ObjectId {
  if (commit !== null) return commit;
  const message = `${id} is ${status} and has no accepted work yet.`;
  throw refusal({ code: 'not-done', message, next: 'Leave task_id out to see the base branch' });
}

function findTask(view: SessionView | null, id: string): Task {
  if (view === null) throw noSessionYet();
  const task = view.tasks.find((one) => one.id === id);
  if (task !== undefined) return task;
  throw view.session.proposal?.some((one) => one.id === id) === true ? planNotApproved() : noTask(id);
}
