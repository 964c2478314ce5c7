import type { PlanDecision, PlanQuestion } from '../../domain/ports/gates.ts';
import { renderAsked } from '../render/render-asked.ts';
import { renderHint } from '../render/render-error.ts';
import { renderPlan } from '../render/render-plan.ts';
import { askText, type Choice, choose } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { editablePlans, type PlanText } from './plan-text.ts';
import { waitingGates } from './waits-for-person.ts';

type Key = 'a' | 'v' | 'e' | 'r' | 'q';

/** Shows a plan and asks what becomes of it; one with mistakes can't be approved. */
export async function askPlan(
  context: GateContext,
  question: PlanQuestion,
  text: PlanText,
): Promise<PlanDecision> {
  const asking = context.question(waitingGates.plan);
  const plans = editablePlans(text);
  context.say(renderPlan(question, context.style));
  if (question.replansLeft === 0) {
    context.say('No re-plan is left: edit this plan, or write one by hand.');
    context.say(renderHint('git flame plan --from FILE', context.style));
  }
  for (;;) {
    const key = await choose(asking, choicesFor(question));
    if (key === 'a') return { kind: 'approve' };
    if (key === 'q') return { kind: 'quit' };
    if (key === 'v') {
      await context.view(renderAsked(question.plan, context.style));
      continue;
    }
    if (key === 'r') return { kind: 'replan', notes: await askText(asking, 'What should be different? ') };
    const plan = await context.edit({
      ...{ fileName: 'plan.yml', text: await plans.format(question.plan) },
      parse: (edited) => plans.parse(edited, question),
    });
    if (plan !== null) return { kind: 'edit', plan };
  }
}

function choicesFor(question: PlanQuestion): readonly Choice<Key>[] {
  const approve: Choice<Key> = { key: 'a', label: '(a)pprove' };
  const replan: Choice<Key> = { key: 'r', label: '(r)e-plan' };
  return [
    ...(question.problems.length === 0 ? [approve] : []),
    { key: 'v', label: '(v)iew' },
    { key: 'e', label: '(e)dit' },
    ...(question.replansLeft > 0 ? [replan] : []),
    { key: 'q', label: '(q)uit' },
  ];
}
