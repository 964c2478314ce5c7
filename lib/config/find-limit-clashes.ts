import { valueAt } from './check-value.ts';
import { renderPath } from './describe-issue.ts';
import { locate } from './locate-value.ts';
import type { Problem, ValuePath } from './problem.ts';
import type { YamlSource } from './yaml-source.ts';

const budget = ['limits', 'token_budget'];
/** Limits in tokens and the limits in dollars they exclude. */
const pairs: readonly (readonly [ValuePath, ValuePath])[] = [
  [
    ['limits', 'max_session_tokens'],
    ['limits', 'max_session_cost_usd'],
  ],
  ...['planner', 'worker', 'validator', 'merger', 'queen'].map(
    (role) => [[...budget, `${role}_tokens`] as const, [...budget, `${role}_usd`] as const] as const,
  ),
];

/** Finds limits set in dollars and in tokens at once. Reads the text as written, even where other values are wrong. */
export function findLimitClashes(raw: unknown, source: YamlSource): readonly Problem[] {
  return pairs.flatMap(([inTokens, inDollars]) => {
    if (!isSet(valueAt(raw, inTokens)) || !isSet(valueAt(raw, inDollars))) return [];
    return {
      path: renderPath(inTokens),
      message: `excludes ${renderPath(inDollars)}: a limit is in dollars or in tokens`,
      hint: 'set one of them to 0',
      ...locate(source, inTokens, 'value'),
    };
  });
}

function isSet(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}
