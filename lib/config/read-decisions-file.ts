import { type Decisions, decisionsSchema } from '../domain/config/decisions.ts';
import { FlameError } from '../domain/flame-error.ts';
import { nearestName } from '../util/nearest-name.ts';
import { checkValue, valueAt } from './check-value.ts';
import { locate } from './locate-value.ts';
import type { Problem } from './problem.ts';
import { refuseProblems } from './render-problems.ts';
import { readYamlSource, type YamlSource } from './yaml-source.ts';

/** What an entry of each list may be, in words. */
const forms: Readonly<Record<keyof Decisions, string>> = {
  plan: 'approve, quit, {replan: notes} or {edit: file}',
  validation: 'recheck, drop, {requeue: notes} or {override: reason}',
  validator_failed: 'retry, skip, manual or {override: reason}',
  changesets:
    'approve, skip, {approve: comments}, {reject: reason} (also with comments: [{path, line, text}]), {override: reason}, {suggest: comments}, or a map from cohesion groups to one of these',
  session: 'continue, retry, stop or {replan: notes}',
  question: 'proceed or {answer: text}, a list of texts where several things are asked',
  budget: 'stop or {raise: amount}',
};

/**
 * Reads the answers of `--decisions-file`, as YAML or JSON. File names in it stay as written: relative to the
 * decisions file. Throws one FlameError `bad-decisions` with all mistakes in it.
 */
export function readDecisionsFile(text: string, fileName: string): Decisions {
  const source = readYamlSource(text, fileName);
  const { value, raw, problems } = checkValue(decisionsSchema, source, {});
  refuseProblems(
    source,
    problems.map((problem) => nameKey(source, raw, problem) ?? nameForms(problem)),
    (message, init) =>
      new FlameError({
        ...init,
        kind: 'environment',
        code: 'bad-decisions',
        message,
        hints: ['git flame run -h'],
      }),
  );
  return value ?? decisionsSchema.parse({});
}

/** The keys an entry of each list may have. */
const keys: Readonly<Partial<Record<string, readonly string[]>>> = {
  plan: ['replan', 'edit'],
  validation: ['drop', 'requeue', 'keep', 'override', 'choose'],
  validator_failed: ['override'],
  changesets: ['approve', 'reject', 'override', 'suggest', 'choose', 'comments', 'tasks', 'keep', 'message'],
  session: ['replan'],
  question: ['answer'],
  budget: ['raise'],
};

/** Names the key that an entry can't have; null: it has none. */
function nameKey(source: YamlSource, raw: unknown, problem: Problem): Problem | null {
  const [, list = '', index = '', key] = /^(\w+)\[(\d+)\](?:\.(\w+))?$/.exec(problem.path) ?? [];
  if (key !== undefined && problem.message !== 'is not a known key') return null;
  const known = keys[list];
  const entry = valueAt(raw, [list, Number(index)]);
  if (known === undefined || typeof entry !== 'object' || entry === null) return null;
  const written = Object.keys(entry);
  // Else its keys are cohesion groups.
  const isDecision = list !== 'changesets' || written.some((one) => known.includes(one));
  const wrong = isDecision ? (key ?? written.find((one) => !known.includes(one))) : undefined;
  if (wrong === undefined) return null;
  const near = nearestName(wrong, known);
  const hint = near === null ? `its keys are ${known.join(', ')}` : `did you mean ${near}?`;
  return {
    path: `${list}[${index}].${wrong}`,
    message: 'is not a known key',
    hint,
    ...locate(source, [list, Number(index), wrong], 'key'),
  };
}

/** Says what an entry may be where it is none of it. */
function nameForms(problem: Problem): Problem {
  const list = /^(\w+)\[\d+\]$/.exec(problem.path)?.[1];
  const form = Object.entries(forms).find(([name]) => name === list)?.[1];
  return form === undefined
    ? problem
    : { ...problem, message: 'is not a decision of this list', hint: `write ${form}` };
}
