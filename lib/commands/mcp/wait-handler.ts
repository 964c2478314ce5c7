import { isApprovedByQueen } from '../../engine/queen/judge-work.ts';
import { refusal } from '../../engine/queen/refusals.ts';
import type { SessionView } from '../../engine/record.ts';
import { describeTask, waitsForLead } from './describe-task.ts';
import type { Desk, DeskView, Standing } from './desk.ts';
import type { InputOf } from './inputs.ts';
import { nextStep, type Prospect, prospectOf } from './next-step.ts';
import type { OutputOf } from './outputs.ts';
import type { CallContext, ToolAnswer } from './tool.ts';

const lookMs = 250;
const pageOfNews = 40;
const keptCursors = 100;
const nothing: Standing = new Map();
/** Who waits more often than this for what can't come is told so by an error: in a chat after a while that costs nothing. */
const patientWaits = 2;
/** Who leads within a run is ended then: each call is paid for. */
const mostIdleWaits = 10;
const paceMs = 20_000;

export async function waitForWorkers(
  desk: Desk,
  { timeout_s, cursor }: InputOf<'waitForWorkers'>,
  call: CallContext,
): Promise<ToolAnswer<'wait_for_workers'>> {
  const known = (cursor === undefined ? undefined : desk.reported.get(cursor)) ?? null;
  // Without a cursor all is told; but not over and over while nothing changes.
  const before = known ?? [...desk.reported.values()].at(-1) ?? nothing;
  const end = Date.now() + Math.min(timeout_s * 1_000, desk.longestWaitMs);
  for (;;) {
    const look = await desk.look();
    const now = look.view === null ? nothing : standingOf(look.view, desk);
    const prospect = prospectOf(look.view, desk);
    const isNew = changesOf(before, now).length > 0;
    // Who waits for nothing hears so at once.
    const isOver = Date.now() >= end || call.signal.aborted || prospect === 'nothing';
    if (isNew || isOver) {
      await pace(desk, look, { prospect, isNew, call });
      const told = known ?? nothing;
      return report(desk, look, { known: told, now, changed: changesOf(told, now), prospect });
    }
    await pause(Math.min(lookMs, end - Date.now()), call);
  }
}

function changesOf(before: Standing, now: Standing): readonly string[] {
  return [...now.keys()].filter((key) => before.get(key) !== now.get(key));
}

/** Throws FlameError `nothing-to-wait-for` where a model goes on to wait for what can't come. */
async function pace(
  desk: Desk,
  { view }: DeskView,
  {
    prospect,
    isNew,
    call,
  }: { readonly prospect: Prospect; readonly isNew: boolean; readonly call: CallContext },
): Promise<void> {
  const { idle } = desk;
  idle.waits = prospect === 'nothing' && !isNew ? idle.waits + 1 : 0;
  if (idle.waits <= patientWaits) return;
  if (desk.askPlan === null) await pause(Math.min(paceMs, desk.longestWaitMs), call);
  else if (idle.waits > mostIdleWaits) idle.giveUp();
  throw refusal({
    code: 'nothing-to-wait-for',
    message: `Nothing runs and nothing can change by itself; you have waited ${idle.waits} times for it.`,
    next: nextStep(view),
  });
}

/** One line for each thing that may change, which differs when it did. */
function standingOf(view: SessionView, { work }: Desk): Standing {
  const { session, tasks } = view;
  const all = tasks.map((task) => {
    const { status, result, commit, reason } = task;
    return [
      task.id,
      [status, result.status, commit, reason, isApprovedByQueen(view, task)].join(' '),
    ] as const;
  });
  const sets = session.changesets.map(({ id, state }) => `${id} ${state}`).join(' ');
  return new Map([
    ...all,
    ['/session', `${session.state} ${session.cycle} ${sets}`],
    ['/plan', `${session.proposal?.map(({ id }) => id).join(' ') ?? '-'} ${session.replan_notes ?? ''}`],
    ...(work.trouble === null ? [] : [['/work', work.trouble.message] as const]),
  ]);
}

function report(
  desk: Desk,
  { view, config }: DeskView,
  {
    known,
    now,
    changed,
    prospect,
  }: {
    readonly known: Standing;
    readonly now: Standing;
    readonly changed: readonly string[];
    readonly prospect: Prospect;
  },
): OutputOf<'wait_for_workers'> {
  if (view === null) return { news: [], next: nextStep(view) };
  const told = changed.slice(0, pageOfNews);
  const tasks = view.tasks.filter(({ id }) => told.includes(id));
  const claimed = view.tasks.filter(({ status }) => status === 'claimed');
  return {
    news: tasks.map((task) => describeTask(view, task, config.concurrency.development)),
    ...(changed.length > told.length ? { more_news: changed.length - told.length } : {}),
    running: claimed.slice(0, pageOfNews).map(({ id }) => id),
    is_working: desk.work.isRunning,
    ...(desk.work.trouble === null ? {} : { trouble: desk.work.trouble }),
    waits_for_lead: waitsForLead(view),
    session_state: view.session.state,
    plan: planOf(view),
    ...(prospect === 'news' ? {} : { next: prospect === 'nothing' ? nextStep(view) : leadsWord }),
    cursor: keep(desk, known, now, told),
  };
}

const leadsWord =
  'Only the lead can go on, with the commands above: tell them, and end your turn rather than wait long';

function planOf({ session }: SessionView): string {
  if (session.proposal !== null) return 'waits for the lead';
  if (session.cycle > 0) return 'approved';
  return session.replan_notes === null ? 'none' : 'sent back, get_status has what the lead said';
}

/** A cursor that knows what was told, and nothing more: the rest is news the next time. */
function keep(desk: Desk, known: Standing, now: Standing, told: readonly string[]): string {
  const next = new Map([...known, ...told.map((key) => [key, now.get(key) ?? ''] as const)]);
  const cursor = `c${(Number([...desk.reported.keys()].at(-1)?.slice(1)) || 0) + 1}`;
  desk.reported.set(cursor, next);
  const [oldest] = desk.reported.keys();
  if (desk.reported.size > keptCursors && oldest !== undefined) desk.reported.delete(oldest);
  return cursor;
}

function pause(ms: number, { signal }: CallContext): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, ms));
    signal.addEventListener('abort', done);
  });
}
