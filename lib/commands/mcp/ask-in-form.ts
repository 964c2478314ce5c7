import { renderPlanYaml } from '../../config/render-plan-yaml.ts';
import type { SessionId } from '../../domain/ids.ts';
import { decideProposal } from '../../engine/plan/decide-proposal.ts';
import { replacedBy } from '../../engine/plan/take-plan.ts';
import { viewSession } from '../../engine/record.ts';
import type { Workshop } from '../../engine/workshop.ts';
import { visibleText } from '../../ui/text/visible-text.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import type { CallContext, FormQuestion } from './tool.ts';

/** A longer plan is not read in a form, and nobody can approve what they were not shown whole. */
const longestForm = 12_000;

/**
 * Where the configuration lets a yes in the chat count (`queen.ask_in_chat`), asks the person there about the plan, or
 * takes the answer up; null: it is left to `git flame plan`. A no, or none, decides nothing: clients without a person say
 * so by themselves. The answer is about exactly the plan that was shown.
 */
export async function askInForm(
  workshop: Workshop,
  session: SessionId,
  call: CallContext,
): Promise<FormQuestion | null> {
  if (!workshop.config.queen.ask_in_chat.includes('plan') || !call.hasForms) return null;
  const view = await viewSession(workshop, session);
  const now = view.session;
  if (now.proposal === null) return null;
  const key = `plan-${canonicalDigest(now.proposal).slice(0, 24)}`;
  const said = call.said(key);
  if (said === undefined) {
    const plan = { tasks: now.proposal };
    const gone = replacedBy(view, plan).map(({ id }) => id);
    const dropped = gone.length === 0 ? '' : `\n\nTaken out of the plan, and dropped: ${gone.join(', ')}`;
    const message = `${visibleText(now.objective)}\n\n${visibleText(renderPlanYaml(plan))}${dropped}`;
    return message.length > longestForm ? null : { ask: { key, message } };
  }
  if (said !== 'approve') return null;
  const gates = { ...workshop.gates, plan: async () => ({ kind: 'approve' as const }) };
  await decideProposal({ ...workshop, gates }, session, now.proposal);
  return null;
}
