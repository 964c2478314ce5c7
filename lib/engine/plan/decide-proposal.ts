import type { SessionId } from '../../domain/ids.ts';
import type { PlannedTask } from '../../domain/state/plan.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { proposalProblems } from '../plan-problems.ts';
import { viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { decidePlan, propose } from './plan-wave.ts';
import { approve, noteReplan, quit } from './record-plan-decision.ts';

/**
 * Has the person decide about the plan that is proposed, and does what they say; no planner is asked for another one.
 * With `shown`, only if it is exactly that plan. Resolves to whether it was approved. Throws what the gate throws where
 * no person can be asked.
 */
export async function decideProposal(
  workshop: Workshop,
  id: SessionId,
  shown: readonly PlannedTask[] | null = null,
): Promise<boolean> {
  for (;;) {
    const view = await viewSession(workshop, id);
    const { proposal } = view.session;
    if (proposal === null) return false;
    if (shown !== null && canonicalDigest(proposal) !== canonicalDigest(shown)) return false;
    const plan = { tasks: proposal };
    const decision = await decidePlan(workshop, view, plan, proposalProblems);
    switch (decision.kind) {
      case 'approve':
        return approve(workshop, view, plan, decision);
      case 'replan':
        await noteReplan(workshop, id, decision);
        return false;
      case 'quit':
        return quit(workshop, id, decision);
      case 'edit':
        await propose(workshop, view.session, decision.plan, true);
    }
  }
}
