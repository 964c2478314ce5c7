import { Document, isMap, isScalar, isSeq, visit } from 'yaml';
import type { Plan } from '../domain/state/plan.ts';

const header = ` The plan: change, add or remove tasks, save and close. With no tasks left, nothing is done.

 id                   lower-case letters, digits and hyphens, its own for each task: task-001
 title                one line
 description          what to do; all the worker is told. Text of several lines goes below a |
 priority             1 goes first
 cohesion_group       tasks of one group are reviewed and landed together
 dependencies         ids of the tasks whose work this one builds on
 file_locks           files, folders (src/) and globs (src/**/*.ts) it may change
 acceptance_criteria  what must be true in the end
 constraints          what must not be done
 model, adapter       optional: another model, another agent CLI
 attempts             optional: so many agents at once, of which one counts: 3, or
                      [{adapter: codex}, {model: claude-opus-4-1}]`;

/** A plan as YAML for an editor, its fields explained above; readPlanFile reads back the same plan. */
export function renderPlanYaml(plan: Plan): string {
  const document = new Document({ tasks: plan.tasks.map(withoutNulls) });
  document.commentBefore = header;
  visit(document, {
    // Short lists fit a line; ids hold nothing that needs quotes.
    Pair(_, pair) {
      if (isScalar(pair.key) && pair.key.value === 'dependencies' && isSeq(pair.value))
        pair.value.flow = true;
    },
    Seq(_, list) {
      for (const [index, item] of list.items.entries()) if (isMap(item)) item.spaceBefore = index > 0;
    },
    Scalar(_, scalar) {
      const isLong = typeof scalar.value === 'string' && scalar.value.includes('\n');
      if (isLong) scalar.type = 'BLOCK_LITERAL';
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function withoutNulls(task: object): object {
  return Object.fromEntries(
    Object.entries(task).flatMap(([key, value]): [string, unknown][] => {
      if (value === null || value === undefined) return [];
      return [[key, key === 'attempts' && Array.isArray(value) ? briefly(value) : value]];
    }),
  );
}

/** Attempts that are all alike are a number. */
function briefly(attempts: readonly object[]): unknown {
  const named = attempts.map(withoutNulls);
  return named.every((one) => Object.keys(one).length === 0) ? attempts.length : named;
}
