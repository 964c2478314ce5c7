import { isApprovedByQueen } from '../../engine/queen/judge-work.ts';
import type { SessionView } from '../../engine/record.ts';
import { describeTask, waitsForLead } from './describe-task.ts';
import type { Desk, DeskView, Standing } from './desk.ts';
import type { InputOf } from './inputs.ts';
import type { CallContext, ToolAnswer } from './tool.ts';

const lookMs = 250;
const pageOfNews = 40;
const keptCursors = 100;
const nothing: Standing = new Map();

export async function waitForWorkers(
  desk: Desk,
  { timeout_s, cursor }: InputOf<'waitForWorkers'>,
  call: CallContext,
): Promise<ToolAnswer> {
  const known = (cursor === undefined ? undefined : desk.reported.get(cursor)) ?? nothing;
  const end = Date.now() + Math.min(timeout_s * 1_000, desk.longestWaitMs);
  for (;;) {
    const look = await desk.look();
    const now = look.view === null ? nothing : standingOf(look.view, desk);
    const changed = [...now.keys()].filter((key) => known.get(key) !== now.get(key));
    // Who waits for nothing hears so at once.
    const isOver = Date.now() >= end || call.signal.aborted || !isWorthWaiting(look, desk);
    if (changed.length > 0 || isOver) return report(desk, look, { known, now, changed });
    await pause(Math.min(lookMs, end - Date.now()), call);
  }
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

function isWorthWaiting({ view }: DeskView, desk: Desk): boolean {
  if (view === null) return false;
  const isHeld = view.tasks.some(({ status }) => status === 'claimed');
  return desk.work.isRunning || isHeld || waitsForLead(view).length > 0;
}

function report(
  desk: Desk,
  { view, config }: DeskView,
  {
    known,
    now,
    changed,
  }: { readonly known: Standing; readonly now: Standing; readonly changed: readonly string[] },
): Readonly<Record<string, unknown>> {
  if (view === null) return { news: [], next: 'create_tasks with an objective begins a session' };
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
    cursor: keep(desk, known, now, told),
  };
}

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
