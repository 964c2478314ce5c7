import { sessionDecision } from '../../core/admission/decisions.ts';
import { sendBack } from '../../core/changesets/reopen-session.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Placed, PlanDecision } from '../../domain/ports/gates.ts';
import type { Plan } from '../../domain/state/plan.ts';
import { withGate } from '../agents/ask-for-budget.ts';
import { type Recorder, record, type SessionView, viewSession } from '../record.ts';
import { runScript } from '../run-script.ts';
import type { Workshop } from '../workshop.ts';
import { takePlan } from './take-plan.ts';

/** Takes an approved plan, and runs the person's script after it. */
export async function approve(
  workshop: Recorder & Pick<Workshop, 'machine' | 'root'>,
  { session, isOurs }: SessionView,
  plan: Plan,
  { where }: Placed<unknown>,
): Promise<boolean> {
  const { id } = session;
  const accepted = isOurs ? [] : [sessionDecision(session)];
  await takePlan(workshop, id, plan, { accepted, ...(where === undefined ? {} : { where }) });
  await runScript(workshop, 'post_plan', { session: id, tasks: plan.tasks.map((task) => task.id) });
  return true;
}

export async function noteReplan(
  workshop: Recorder,
  id: SessionId,
  decision: Placed<Extract<PlanDecision, { kind: 'replan' }>>,
): Promise<SessionView> {
  const { notes } = decision;
  await record(workshop, id, ({ session }) => {
    const gated = withGate(session, { gate: 'plan', decision: 'replan' }, decision, workshop);
    const next = { ...sendBack(gated, notes), replans: session.replans + 1 };
    return { session: { next, subject: 'session: another plan is wanted' }, body: notes };
  });
  return viewSession(workshop, id);
}

export async function quit(workshop: Recorder, id: SessionId, from: Placed<unknown>): Promise<boolean> {
  await record(workshop, id, ({ session }) => {
    const gated = {
      ...withGate(session, { gate: 'plan', decision: 'quit' }, from, workshop),
      proposal: null,
    };
    // A proposal beside approved work is refused; the work goes on.
    if (session.wave !== 'plan')
      return { session: { next: gated, subject: 'session: the plan proposed meanwhile is refused' } };
    const next = { ...gated, state: 'ended' as const, wave: 'done' as const };
    return { session: { next, subject: 'session: ended at the plan' } };
  });
  return false;
}
