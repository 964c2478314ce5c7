import * as z from 'zod';
import type { PlanDecision, PlanQuestion } from '../../domain/ports/gates.ts';
import type { Plan } from '../../domain/state/plan.ts';
import { unreachable } from '../../util/unreachable.ts';
import { planNotes } from '../render/render-plan.ts';
import { renderTold } from '../render/render-told.ts';
import { type DeskQuestion, parseAnswer, wordsSchema } from './desk-question.ts';
import { badAnswer } from './refused-answers.ts';

const schema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('approve') }),
  z.strictObject({ kind: z.literal('edit'), text: z.string().max(1_500_000) }),
  z.strictObject({ kind: z.literal('replan'), notes: wordsSchema }),
  z.strictObject({ kind: z.literal('quit') }),
]);

/** A plan as text, and back: what comes back throws FlameErrors that name lines. */
export interface DeskPlanText {
  format(plan: Plan): Promise<string>;
  parse(text: string, question: PlanQuestion): Promise<Plan>;
}

export function aboutPlan(question: PlanQuestion, plans: DeskPlanText): DeskQuestion<PlanDecision> {
  const { objective, plan, problems, received = [], told = [], replansLeft } = question;
  return {
    about: 'the plan',
    substance: plan,
    asks: {
      ...{ gate: 'plan', objective, problems, replans_left: replansLeft, quit_means: quitMeans(question) },
      tasks: plan.tasks.length,
      notes: [...received, ...renderTold(told, Number.POSITIVE_INFINITY), ...planNotes(question)],
    },
    read: async (answer) => {
      const given = parseAnswer(schema, answer);
      switch (given.kind) {
        case 'approve':
          if (problems.length > 0) throw badAnswer('the plan has mistakes, which have to be mended first');
          return given;
        case 'replan':
          if (replansLeft <= 0) throw badAnswer('no re-plan is left; edit the plan instead');
          return given;
        case 'quit':
          return given;
        case 'edit':
          return { kind: 'edit', plan: await plans.parse(given.text, question) };
        default:
          return unreachable(given);
      }
    },
    text: async (what) => (what === 'plan' ? plans.format(plan) : null),
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
