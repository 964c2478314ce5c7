import { badPlanError } from '../../domain/input-errors.ts';
import type { PlanDecision, PlanQuestion } from '../../domain/ports/gates.ts';
import { listOfferedAnswers } from '../../domain/questions/offered-answers.ts';
import { parseAnswerToQuestion } from '../../domain/questions/parse-answer.ts';
import type { PlanAnswerInput } from '../../domain/questions/plan-session-budget-answers.ts';
import type { PlanQuestionData } from '../../domain/questions/question-data.ts';
import type { Plan } from '../../domain/state/plan-schema.ts';
import { listPlanRemarks, renderAgentTexts } from '../render/render-plan.ts';
import type { PreparedQuestion } from './prepared-question.ts';

/** A plan as text, and back: what comes back throws FlameErrors that name lines. */
export interface PlanTextEditing {
  format(plan: Plan): Promise<string>;
  parse(text: string, question: PlanQuestion): Promise<Plan>;
}

export function preparePlanQuestion(question: PlanQuestion, plans: PlanTextEditing): PreparedQuestion<PlanDecision> {
  const { plan } = question;
  const asks = buildPlanQuestionData(question);
  return {
    asks,
    about: 'the plan',
    substance: plan,
    decide: async (answer) => {
      const given = parseAnswerToQuestion<PlanAnswerInput>(listOfferedAnswers(asks), answer);
      return given.kind === 'edit' ? { kind: 'edit', plan: await plans.parse(given.text, question) } : given;
    },
    text: async (what) => (what === 'plan' ? plans.format(plan) : null),
  };
}

export function buildPlanQuestionData(question: PlanQuestion): PlanQuestionData {
  const { objective, plan, problems, received = [], agentTexts = [], replansLeft } = question;
  return {
    gate: 'plan',
    objective,
    problems,
    replans_left: replansLeft,
    quit_means: quitMeans(question),
    tasks: plan.tasks.length,
    notes: [...received, ...renderAgentTexts(agentTexts, Number.POSITIVE_INFINITY), ...listPlanRemarks(question)],
  };
}

function quitMeans({ quit }: PlanQuestion): string {
  switch (quit) {
    case 'goes-on':
      return 'nothing of this plan is used; the session continues without it';
    case 'kept':
      return 'the run ends; what was received is kept, and git flame run shows it again';
    default:
      return 'the session ends without this plan; to keep the plan, leave the question open';
  }
}

/** A plan as the text a person edits, and back. */
export interface PlanTextFormat {
  /** Bare YAML by default. */
  readonly formatPlan?: (plan: Plan) => string | Promise<string>;
  /** Throws a FlameError naming lines and reasons. */
  readonly parsePlan: (text: string) => Plan | Promise<Plan>;
}

/** Plans as the person wrote them, with their comments: that is what they continue editing. */
const written = new WeakMap<Plan, string>();

/** Plans that a person edits: their text stays as they wrote it, and the plan as a whole is checked too. */
export function createPlanTextEditing({ formatPlan = bareYaml, parsePlan }: PlanTextFormat): PlanTextEditing {
  return {
    format: async (plan) => written.get(plan) ?? (await formatPlan(plan)),
    parse: async (edited, { check }) => {
      const parsed = await parsePlan(edited);
      requireSound(check?.(parsed) ?? [], edited);
      written.set(parsed, edited);
      return parsed;
    },
  };
}

/** Mistakes that only the plan as a whole has, each at the id of its task. */
function requireSound(problems: ReturnType<NonNullable<PlanQuestion['check']>>, text: string): void {
  if (problems.length === 0) return;
  const lines = text.split('\n');
  const found = problems.map(({ task, message }) => {
    const line = task === null ? 0 : lines.findIndex((one) => idIn(one) === task) + 1;
    return { line, message: task === null ? message : `${task} ${message}` };
  });
  throw badPlanError(`The plan has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}.`, {
    details: found.map(({ line, message }) => (line === 0 ? message : `plan.yml:${line}  ${message}`)),
    data: { problems: found.filter(({ line }) => line > 0) },
  });
}

function idIn(line: string): string | undefined {
  return /^[\s-]*["']?id["']?\s*:\s*["']?([a-z0-9-]+)/.exec(line)?.[1];
}

async function bareYaml({ tasks }: Plan): Promise<string> {
  // Only who edits pays for loading it.
  const { stringify } = await import('yaml');
  const entries = tasks.map((task) => Object.entries(task).filter(([, value]) => value !== null));
  return stringify({ tasks: entries.map((entry) => Object.fromEntries(entry)) }, { lineWidth: 0 });
}
