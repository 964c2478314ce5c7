import { badPlan } from '../../domain/bad-plan.ts';
import type { PlanDecision, PlanQuestion } from '../../domain/ports/gates.ts';
import type { Plan } from '../../domain/state/plan.ts';
import { renderHint } from '../render/render-error.ts';
import { renderPlan } from '../render/render-plan.ts';
import { askText, type Choice, choose } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { waitingGates } from './waits-for-person.ts';

type Key = 'a' | 'e' | 'r' | 'q';

/** A plan as the text a person edits, and back. */
export interface PlanText {
  /** Bare YAML by default. */
  readonly formatPlan?: (plan: Plan) => string | Promise<string>;
  /** Throws a FlameError naming lines and reasons. */
  readonly parsePlan: (text: string) => Plan | Promise<Plan>;
}

/** Shows a plan and asks what becomes of it; one with mistakes can't be approved. */
export async function askPlan(
  context: GateContext,
  question: PlanQuestion,
  { parsePlan, formatPlan = bareYaml }: PlanText,
): Promise<PlanDecision> {
  const asking = context.question(waitingGates.plan);
  context.say(renderPlan(question, context.style));
  if (question.replansLeft === 0) {
    context.say('No re-plan is left: edit this plan, or write one by hand.');
    context.say(renderHint('git flame plan --from FILE', context.style));
  }
  for (;;) {
    const key = await choose(asking, choicesFor(question));
    if (key === 'a') return { kind: 'approve' };
    if (key === 'q') return { kind: 'quit' };
    if (key === 'r') return { kind: 'replan', notes: await askText(asking, 'What should be different? ') };
    const text = written.get(question.plan) ?? (await formatPlan(question.plan));
    const plan = await context.edit({
      ...{ fileName: 'plan.yml', text },
      parse: async (edited) => {
        const parsed = await parsePlan(edited);
        requireSound(question.check?.(parsed) ?? [], edited);
        written.set(parsed, edited);
        return parsed;
      },
    });
    if (plan !== null) return { kind: 'edit', plan };
  }
}

/** Plans as the person wrote them, with their comments: that is what they continue editing. */
const written = new WeakMap<Plan, string>();

/** Mistakes that only the plan as a whole has, each at the id of its task. */
function requireSound(problems: ReturnType<NonNullable<PlanQuestion['check']>>, text: string): void {
  if (problems.length === 0) return;
  const lines = text.split('\n');
  const found = problems.map(({ task, message }) => {
    const line = task === null ? 0 : lines.findIndex((one) => idIn(one) === task) + 1;
    return { line, message: task === null ? message : `${task} ${message}` };
  });
  throw badPlan(`The plan has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}.`, {
    details: found.map(({ line, message }) => (line === 0 ? message : `plan.yml:${line}  ${message}`)),
    data: { problems: found.filter(({ line }) => line > 0) },
  });
}

function idIn(line: string): string | undefined {
  return /^[\s-]*["']?id["']?\s*:\s*["']?([a-z0-9-]+)/.exec(line)?.[1];
}

async function bareYaml({ tasks }: Plan): Promise<string> {
  // Only who edits pays for loading it.
  const { stringify } = await import('../../util/yaml.ts');
  const entries = tasks.map((task) => Object.entries(task).filter(([, value]) => value !== null));
  return stringify({ tasks: entries.map((entry) => Object.fromEntries(entry)) }, { lineWidth: 0 });
}

function choicesFor(question: PlanQuestion): readonly Choice<Key>[] {
  const approve: Choice<Key> = { key: 'a', label: '(a)pprove' };
  const replan: Choice<Key> = { key: 'r', label: '(r)e-plan' };
  return [
    ...(question.problems.length === 0 ? [approve] : []),
    { key: 'e', label: '(e)dit' },
    ...(question.replansLeft > 0 ? [replan] : []),
    { key: 'q', label: '(q)uit' },
  ];
}
