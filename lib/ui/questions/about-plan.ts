import type { PlanDecision, PlanQuestion } from '../../domain/ports/gates.ts';
import { answersTo } from '../../domain/questions/answers-to.ts';
import type { AskedPlan } from '../../domain/questions/gate.ts';
import { parseAnswer } from '../../domain/questions/parse-answer.ts';
import type { PlanGiven } from '../../domain/questions/run-answers.ts';
import type { Plan } from '../../domain/state/plan.ts';
import { planNotes } from '../render/render-plan.ts';
import { renderTold } from '../render/render-told.ts';
import type { Question } from './about-question.ts';

/** A plan as text, and back: what comes back throws FlameErrors that name lines. */
export interface EditablePlans {
  format(plan: Plan): Promise<string>;
  parse(text: string, question: PlanQuestion): Promise<Plan>;
}

export function aboutPlan(question: PlanQuestion, plans: EditablePlans): Question<PlanDecision> {
  const { plan } = question;
  const asks = planAsks(question);
  return {
    ...{ asks, about: 'the plan', substance: plan },
    decide: async (answer) => {
      const given = parseAnswer<PlanGiven>(answersTo(asks), answer);
      return given.kind === 'edit' ? { kind: 'edit', plan: await plans.parse(given.text, question) } : given;
    },
    text: async (what) => (what === 'plan' ? plans.format(plan) : null),
  };
}

export function planAsks(question: PlanQuestion): AskedPlan {
  const { objective, plan, problems, received = [], told = [], replansLeft } = question;
  return {
    ...{ gate: 'plan', objective, problems, replans_left: replansLeft, quit_means: quitMeans(question) },
    tasks: plan.tasks.length,
    notes: [...received, ...renderTold(told, Number.POSITIVE_INFINITY), ...planNotes(question)],
  };
}

function quitMeans({ quit }: PlanQuestion): string {
  switch (quit) {
    case 'goes-on':
      return 'nothing of this plan is taken in; the session goes on without it';
    case 'kept':
      return 'the run ends; what was received is kept, and git flame run shows it again';
    default:
      return 'the session ends without this plan; a question left open is kept';
  }
}
