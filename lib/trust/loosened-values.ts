import { valueAt } from '../config/check-value.ts';
import { listConfigLeaves } from '../config/config-leaves.ts';
import { defaultConfig } from '../config/parse-config.ts';
import type { ValuePath } from '../config/problem.ts';
import type { Config } from '../domain/config.ts';

export interface LoosenedValue {
  readonly keys: ValuePath;
  /** Dotted. */
  readonly path: string;
  /** As one writes it in the file. */
  readonly value: string;
  readonly builtIn: string;
}

/** Values of `limits` and `sandbox` that hold agents to less than the built-in ones do. */
export function listLoosened(config: Config): readonly LoosenedValue[] {
  const defaults = defaultConfig();
  const builtIn = new Map(listConfigLeaves(defaults).map(({ path, value }) => [path, value]));
  return (
    listConfigLeaves(config)
      .filter(({ keys }) => keys[0] === 'limits' || keys[0] === 'sandbox')
      .filter(({ keys, path }) => isLooser(path, valueAt(config, keys), valueAt(defaults, keys)))
      // A limit in tokens is what puts the one in dollars out of force.
      .filter(({ path }) => !inTokens(config, path))
      .map(({ keys, path, value }) => ({ keys, path, value, builtIn: builtIn.get(path) ?? 'none' }))
  );
}

/** More of it, or of money none at all: 0 is unlimited. `require: false` works where nothing can be enforced. */
function isLooser(path: string, value: unknown, builtIn: unknown): boolean {
  if (path === 'sandbox.require') return value === false;
  if (typeof value !== 'number') return false;
  if (typeof builtIn !== 'number') return true;
  return value > builtIn || (value === 0 && builtIn > 0 && path.endsWith('_usd'));
}

function inTokens({ limits }: Config, path: string): boolean {
  if (path === 'limits.max_session_cost_usd') return limits.max_session_tokens > 0;
  const role = /^limits\.token_budget\.(planner|worker|validator|merger)_usd$/.exec(path)?.[1];
  return Number(valueAt(limits, ['token_budget', `${role}_tokens`])) > 0;
}
