import { type Decisions, decisionsSchema } from '../domain/config/decisions.ts';
import { FlameError } from '../domain/flame-error.ts';
import { checkValue } from './check-value.ts';
import type { Problem } from './problem.ts';
import { refuseProblems } from './render-problems.ts';
import { readYamlSource } from './yaml-source.ts';

/** What an entry of each list may be, in words. */
const forms: Readonly<Record<keyof Decisions, string>> = {
  plan: 'approve, quit, {replan: notes} or {edit: file}',
  validation: 'recheck, drop, {requeue: notes} or {override: reason}',
  validator_failed: 'retry, skip, manual or {override: reason}',
  changesets:
    'approve, skip, {approve: comments}, {reject: reason}, {override: reason}, {suggest: comments}, or a map from cohesion groups to one of these',
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
  const { value, problems } = checkValue(decisionsSchema, source, {});
  refuseProblems(
    source,
    problems.map(nameForms),
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

/** Says what an entry may be where it is none of it. */
function nameForms(problem: Problem): Problem {
  const list = /^(\w+)\[\d+\]$/.exec(problem.path)?.[1];
  const form = Object.entries(forms).find(([name]) => name === list)?.[1];
  return form === undefined
    ? problem
    : { ...problem, message: 'is not a decision of this list', hint: `write ${form}` };
}
