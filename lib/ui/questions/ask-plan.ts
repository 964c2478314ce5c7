import type { PlanDecision, PlanQuestion } from '../../domain/ports/gates.ts';
import { answersTo } from '../../domain/questions/answers-to.ts';
import { renderAsked } from '../render/render-asked.ts';
import { renderHint } from '../render/render-error.ts';
import { renderPlan } from '../render/render-plan.ts';
import { aboutPlan, editablePlans, type PlanText } from './about-plan.ts';
import { askUntilDecided } from './ask-answer.ts';
import type { GateContext } from './gate-context.ts';
import { waitingPlan } from './waits-for-person.ts';

/** Shows a plan and asks what becomes of it; one with mistakes can't be approved. */
export async function askPlan(
  context: GateContext,
  question: PlanQuestion,
  text: PlanText,
): Promise<PlanDecision> {
  const { style, say } = context;
  const plans = editablePlans(text);
  const { asks, decide } = aboutPlan(question, plans);
  say(renderPlan(question, style));
  if (question.replansLeft === 0) {
    say('No re-plan is left: edit this plan, or write one by hand.');
    say(renderHint('git flame plan --from FILE', style));
  }
  const edit = async (): Promise<PlanDecision | null> => {
    const plan = await context.edit({
      fileName: 'plan.yml',
      text: await plans.format(question.plan),
      parse: (edited) => plans.parse(edited, question),
    });
    return plan === null ? null : { kind: 'edit', plan };
  };
  const view = async (): Promise<null> => {
    await context.view(renderAsked(question.plan, style));
    return null;
  };
  const asking = context.asking(waitingPlan(question));
  const acts = [
    { label: '(v)iew', act: view },
    { label: '(e)dit', act: edit },
  ];
  return askUntilDecided(() => ({ asking, answers: answersTo(asks), acts, before: 'edit', decide }));
}
