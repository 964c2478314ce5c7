import { badPlan } from '../../domain/bad-plan.ts';
import type { PlanQuestion } from '../../domain/ports/gates.ts';
import type { Plan } from '../../domain/state/plan.ts';
import type { EditablePlans } from './about-plan.ts';

/** A plan as the text a person edits, and back. */
export interface PlanText {
  /** Bare YAML by default. */
  readonly formatPlan?: (plan: Plan) => string | Promise<string>;
  /** Throws a FlameError naming lines and reasons. */
  readonly parsePlan: (text: string) => Plan | Promise<Plan>;
}

/** Plans as the person wrote them, with their comments: that is what they continue editing. */
const written = new WeakMap<Plan, string>();

/** The same where a person edits it: what they wrote stays as they wrote it, and the plan as a whole is checked too. */
export function editablePlans({ formatPlan = bareYaml, parsePlan }: PlanText): EditablePlans {
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
  const { stringify } = await import('yaml');
  const entries = tasks.map((task) => Object.entries(task).filter(([, value]) => value !== null));
  return stringify({ tasks: entries.map((entry) => Object.fromEntries(entry)) }, { lineWidth: 0 });
}
