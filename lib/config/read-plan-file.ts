import { isSeq } from 'yaml';
import type * as z from 'zod';
import { type Plan, plannedTaskSchema, planSchema } from '../domain/plan.ts';
import { nearestName } from '../util/nearest-name.ts';
import { checkValue, keepSound, valueAt } from './check-value.ts';
import { renderPath } from './describe-issue.ts';
import { keyNames } from './json-schema.ts';
import { locate } from './locate-value.ts';
import type { Problem, ValuePath } from './problem.ts';
import { refuseProblems } from './render-problems.ts';
import { readYamlSource, type YamlSource } from './yaml-source.ts';

const maxLength = 10_000_000;
const tasksSchema = planSchema.shape.tasks;
const bareListSchema = tasksSchema.transform((tasks) => ({ tasks }));
/** `tasks:` with nothing behind it is what remains when a person takes all tasks out. */
const emptiedSchema = planSchema.extend({ tasks: tasksSchema.default([]) });

/**
 * Reads a plan written by hand, as YAML or JSON: `{tasks: […]}` or the list alone. Checks the form of each task,
 * not whether they fit together. Throws one FlameError `bad-plan` with all mistakes in it.
 */
export function readPlanFile(text: string, fileName: string): Plan {
  const source = readYamlSource(text, fileName, maxLength);
  const isBareList = isSeq(source.document.contents);
  const schema = isBareList ? bareListSchema : source.document.has('tasks') ? emptiedSchema : planSchema;
  const { value, raw, problems } = checkValue<z.output<typeof planSchema>>(schema, source, {});
  const misspelt = keepSound(source, findMisspeltKeys(source, raw, isBareList ? [] : ['tasks']));
  const known = new Set(misspelt.map((problem) => problem.means));
  refuseProblems(
    source,
    [
      ...problems.filter((problem) => !(problem.message === 'is missing' && known.has(problem.path))),
      ...misspelt,
    ],
    {
      code: 'bad-plan',
      hints: ['correct it, then try it without starting anything: git flame plan --dry-run --from FILE'],
    },
  );
  return value ?? { tasks: [] };
}

/** A key that was meant for another. */
interface MisspeltKey extends Problem {
  readonly means: string;
}

/**
 * Keys that a plan doesn't know are passed over: planners write more than they are asked for. One that looks like a
 * known key is a mistake, and passing over it would lose a person's words.
 */
function findMisspeltKeys(source: YamlSource, raw: unknown, toTasks: ValuePath): readonly MisspeltKey[] {
  const tasks = valueAt(raw, toTasks);
  const places = Array.isArray(tasks) ? tasks.map((_, index) => [...toTasks, index]) : [];
  return [
    ...(toTasks.length > 0 ? misspeltIn(source, raw, [], ['tasks']) : []),
    ...places.flatMap((path) => misspeltIn(source, raw, path, taskKeys)),
  ];
}

const taskKeys = keyNames(plannedTaskSchema, []);

function misspeltIn(
  source: YamlSource,
  raw: unknown,
  path: ValuePath,
  known: readonly string[],
): readonly MisspeltKey[] {
  const value = valueAt(raw, path);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .flatMap((key) => {
      const near = nearestName(
        key,
        known.filter((name) => !Object.hasOwn(value, name)),
      );
      if (near === null) return [];
      return {
        path: renderPath([...path, key]),
        means: renderPath([...path, near]),
        message: 'is not a known key',
        hint: `did you mean ${near}?`,
        ...locate(source, [...path, key], 'key'),
      };
    });
}
