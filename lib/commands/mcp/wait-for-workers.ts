import { setTimeout as sleep } from 'node:timers/promises';
import { isApprovedByLeadAgent } from '../../engine/lead-agent/judge-tasks.ts';
import { leadToolError } from '../../engine/lead-agent/lead-tool-errors.ts';
import type { SessionView } from '../../engine/record-changes.ts';
import {
  adviseLeadAgent,
  listDecisionsForPerson,
  predictWaitOutcome,
  summarizeTaskForLead,
  type WaitOutcome,
} from './describe-session.ts';
import type { LeadReadContext, LeadSession, ReportedState } from './lead-session.ts';
import type { CallContext, ToolOutput } from './tool-outputs.ts';
import type { LeadToolInput } from './tool-table.ts';

const lookMs = 250;
const pageOfNews = 40;
const keptCursors = 100;
/** More waits than this for what can't come are refused, in a chat after a while that costs nothing. */
const patientWaits = 2;
/** More than this end an agent that leads within a run: each call is paid for. */
const mostIdleWaits = 10;
const paceMs = 20_000;

/** Waits for a change beyond what a cursor has reported. Throws FlameError `nothing-to-wait-for` where none can come. */
export async function waitForWorkers(
  lead: LeadSession,
  { timeout_s, cursor }: LeadToolInput<'wait_for_workers'>,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<ToolOutput<'wait_for_workers'>> {
  const nothing: ReportedState = new Map();
  const asked = cursor === undefined ? undefined : lead.reported.get(cursor);
  // Without a cursor all is reported; but not over and over while nothing changes.
  const before = asked ?? [...lead.reported.values()].at(-1) ?? nothing;
  const end = Date.now() + Math.min(timeout_s * 1_000, lead.host.longestWaitMs);
  const pause = (ms: number) => sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
  for (;;) {
    const look = await lead.host.look();
    const now = look.view === null ? nothing : reportedStateOf(look.view, lead);
    const prospect = predictWaitOutcome(look.view, lead);
    const isNew = changesOf(before, now).length > 0;
    // A wait that nothing can end returns at once.
    if (isNew || prospect === 'nothing' || Date.now() >= end || signal.aborted) {
      lead.idleWaits = prospect === 'nothing' && !isNew ? lead.idleWaits + 1 : 0;
      if (lead.idleWaits > patientWaits) {
        if (lead.host.askPlan === null) await pause(Math.min(paceMs, lead.host.longestWaitMs));
        else if (lead.idleWaits > mostIdleWaits) lead.host.end('idle');
        const message = `Nothing runs, so nothing can change without you; you have waited ${lead.idleWaits} times.`;
        throw leadToolError({ code: 'nothing-to-wait-for', message, next: adviseLeadAgent(look.view) });
      }
      return report(lead, look, { known: asked ?? nothing, now, prospect });
    }
    await pause(Math.min(lookMs, end - Date.now()));
  }
}

function changesOf(before: ReportedState, now: ReportedState): readonly string[] {
  return [...now.keys()].filter((key) => before.get(key) !== now.get(key));
}

/** One line for each thing that may change, which differs when it did. */
function reportedStateOf(view: SessionView, { trouble }: LeadSession): ReportedState {
  const { session, tasks } = view;
  const sets = session.changesets.map(({ id, state }) => `${id} ${state}`).join(' ');
  return new Map([
    ...tasks.map((task) => {
      const { id, status, result, commit, reason } = task;
      return [id, [status, result.status, commit, reason, isApprovedByLeadAgent(view, task)].join(' ')] as const;
    }),
    ['/session', `${session.state} ${session.cycle} ${sets}`],
    ['/plan', `${session.proposal?.map(({ id }) => id).join(' ') ?? '-'} ${session.replan_notes ?? ''}`],
    ...(trouble === null ? [] : [['/work', trouble.message] as const]),
  ]);
}

interface Waited {
  readonly known: ReportedState;
  readonly now: ReportedState;
  readonly prospect: WaitOutcome;
}

function report(
  lead: LeadSession,
  { view, config }: LeadReadContext,
  { known, now, prospect }: Waited,
): ToolOutput<'wait_for_workers'> {
  if (view === null) return { news: [], next: adviseLeadAgent(view) };
  const { isWorking, trouble } = lead;
  const changed = changesOf(known, now);
  const shown = changed.slice(0, pageOfNews);
  const tasks = view.tasks.filter(({ id }) => shown.includes(id));
  const claimed = view.tasks.filter(({ status }) => status === 'claimed');
  return {
    news: tasks.map((task) => summarizeTaskForLead(view, task, config.concurrency.development)),
    ...(changed.length > shown.length ? { more_news: changed.length - shown.length } : {}),
    running: claimed.slice(0, pageOfNews).map(({ id }) => id),
    is_working: isWorking,
    ...(trouble === null ? {} : { trouble }),
    waits_for_lead: listDecisionsForPerson(view),
    session_state: view.session.state,
    plan: planOf(view),
    ...(prospect === 'news' ? {} : { next: prospect === 'nothing' ? adviseLeadAgent(view) : leadDecides }),
    cursor: keep(lead, known, now, shown),
  };
}

const leadDecides =
  'Only the lead can continue, with the commands above: report them, and end your turn instead of waiting long';

function planOf({ session }: SessionView): string {
  if (session.proposal !== null) return 'waits for the lead';
  if (session.cycle > 0) return 'approved';
  return session.replan_notes === null ? 'none' : "sent back, get_status has the lead's reason";
}

/** A cursor that knows what was reported, and nothing more: the rest is news the next time. */
function keep({ reported }: LeadSession, known: ReportedState, now: ReportedState, shown: readonly string[]): string {
  const next = new Map([...known, ...shown.map((key) => [key, now.get(key) ?? ''] as const)]);
  const cursor = `c${(Number([...reported.keys()].at(-1)?.slice(1)) || 0) + 1}`;
  reported.set(cursor, next);
  const [oldest] = reported.keys();
  if (reported.size > keptCursors && oldest !== undefined) reported.delete(oldest);
  return cursor;
}
