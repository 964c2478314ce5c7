import { Document, isMap, isScalar, isSeq, visit } from 'yaml';
import * as z from 'zod';
import { badPlanError } from '../domain/input-errors.ts';
import { type Plan, plannedTaskSchema, planSchema } from '../domain/state/plan-schema.ts';
import { nearestName } from '../util/nearest-name.ts';
import { checkYamlAgainstSchema, dropConsequentialProblems, findValueAtPath, renderPath } from './check-yaml-value.ts';
import { listKeysAtPath } from './json-schema.ts';
import { locateInYaml } from './locate-value.ts';
import { throwFileProblems } from './throw-file-problems.ts';
import { type FileProblem, readYamlSource, type ValuePath, type YamlSource } from './yaml-source.ts';

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
  return readTasks<z.output<typeof planSchema>>(source, schema, isBareList) ?? { tasks: [] };
}

/** Tasks to add: a plan, a list of tasks or a single one, and none needs an id. Throws FlameError `bad-plan`. */
export function readNewTasks(text: string, fileName: string): readonly NewTask[] {
  const source = readYamlSource(asList(text), fileName, maxLength);
  const isBareList = isSeq(source.document.contents);
  const list = z.array(newTaskSchema).max(1_000, 'has more than 1,000 tasks: add them in several parts');
  const schema = isBareList ? list.transform((tasks) => ({ tasks })) : z.object({ tasks: list });
  return readTasks<{ tasks: NewTask[] }>(source, schema, isBareList)?.tasks ?? [];
}

const newTaskSchema = plannedTaskSchema.extend({
  id: plannedTaskSchema.shape.id.nullish().transform((id) => id ?? null),
});
type NewTask = z.output<typeof newTaskSchema>;

/** A single task as a list of one, each line where it was. */
function asList(text: string): string {
  if (/^\s*[[{]/.test(text)) return /^\s*\{(?!\s*"?tasks"?\s*:)/.test(text) ? `[${text}]` : text;
  const isSingle = /^title\s*:/m.test(text) && !/^(?:tasks\s*:|-\s)/m.test(text);
  if (!isSingle) return text;
  const lines = text.split('\n');
  const first = lines.findIndex((line) => /^[A-Za-z_]+\s*:/.test(line));
  return lines
    .map((line, at) => (at < first || line === '' ? line : `${at === first ? '- ' : '  '}${line}`))
    .join('\n');
}

function readTasks<Value>(source: YamlSource, schema: z.ZodType<Value>, isBareList: boolean): Value | null {
  const { value, raw, problems } = checkYamlAgainstSchema<Value>(schema, source);
  const misspelt = dropConsequentialProblems(source, findMisspeltKeys(source, raw, isBareList ? [] : ['tasks']));
  const known = new Set(misspelt.map((problem) => problem.means));
  throwFileProblems(
    source,
    [...problems.filter((problem) => !(problem.message === 'is missing' && known.has(problem.path))), ...misspelt],
    (message, init) =>
      badPlanError(message, {
        ...init,
        kind: 'environment',
        hints: ['Correct it, then test it without starting anything: git flame plan --dry-run --from FILE'],
      }),
  );
  return value;
}

/** A key that was meant for another. */
interface MisspeltKey extends FileProblem {
  readonly means: string;
}

/**
 * Keys that a plan doesn't know are passed over: planners write more than they are asked for. One that looks like a
 * known key is a mistake, and passing over it would lose a person's words.
 */
function findMisspeltKeys(source: YamlSource, raw: unknown, toTasks: ValuePath): readonly MisspeltKey[] {
  const tasks = findValueAtPath(raw, toTasks);
  const places = Array.isArray(tasks) ? tasks.map((_, index) => [...toTasks, index]) : [];
  return [
    ...(toTasks.length > 0 ? misspeltIn(source, raw, [], ['tasks']) : []),
    ...places.flatMap((path) => misspeltIn(source, raw, path, taskKeys)),
  ];
}

const taskKeys = listKeysAtPath(plannedTaskSchema, []);

function misspeltIn(
  source: YamlSource,
  raw: unknown,
  path: ValuePath,
  known: readonly string[],
): readonly MisspeltKey[] {
  const value = findValueAtPath(raw, path);
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
        ...locateInYaml(source, [...path, key], 'key'),
      };
    });
}

const header = ` The plan: change, add or remove tasks, save and close. With no tasks left, nothing is done.

 id                   lower-case letters, digits and hyphens, different for each task: task-001
 title                one line
 description          what to do, as the worker reads it. Put several lines below a |
 priority             1 goes first
 cohesion_group       tasks of one group are reviewed and landed together
 dependencies         ids of the tasks this one needs
 file_locks           files, folders (src/) and globs (src/**/*.ts) it may change
 acceptance_criteria  what must be true at the end
 constraints          what must not be done
 model, adapter       optional: another model, another agent CLI
 attempts             optional: attempts at once, of which the best counts: 3, or
                      [{adapter: codex}, {model: claude-opus-4-1}]`;

/** A plan as YAML for an editor, its fields explained above; readPlanFile reads back the same plan. */
export function renderPlanYaml(plan: Plan): string {
  const document = new Document({ tasks: plan.tasks.map(withoutNulls) });
  document.commentBefore = header;
  visit(document, {
    // Short lists fit a line; ids hold nothing that needs quotes.
    Pair(_, pair) {
      if (isScalar(pair.key) && pair.key.value === 'dependencies' && isSeq(pair.value)) pair.value.flow = true;
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
