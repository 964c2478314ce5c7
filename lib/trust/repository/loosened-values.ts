import { findValueAtPath } from '../../config/check-yaml-value.ts';
import { listConfigLeaves } from '../../config/list-config-values.ts';
import { defaultConfig } from '../../config/load-config.ts';
import type { ValuePath } from '../../config/yaml-source.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import { isLockInsideGlobs } from '../../util/path-globs.ts';

interface LoosenedValue {
  readonly keys: ValuePath;
  /** Dotted. */
  readonly path: string;
  /** As one writes it in the file. */
  readonly value: string;
  /** See TrustItem. */
  readonly effect: string;
}

/** Values that hold agents to less than the built-in ones do: limits, what agents may do, what money is counted by. */
export function listLoosenedValues(config: Config): readonly LoosenedValue[] {
  return [...listLimits(config), ...listPermissions(config), ...listPrices(config), ...listHeard(config)];
}

function listLimits(config: Config): readonly LoosenedValue[] {
  const defaults = defaultConfig();
  const builtIn = new Map(listConfigLeaves(defaults).map((leaf) => [leaf.path, leaf]));
  return (
    listConfigLeaves(config)
      .filter(
        ({ keys }) => keys[0] === 'limits' || keys[0] === 'sandbox' || keys[0] === 'memory' || keys[0] === 'queen',
      )
      .filter(({ keys, path }) => isLooser(path, findValueAtPath(config, keys), findValueAtPath(defaults, keys)))
      // A limit in tokens is what puts the one in dollars out of force.
      .filter(({ path }) => !inTokens(config, path))
      .map(({ keys, path, value }) => ({
        keys,
        path,
        value,
        effect: path.startsWith('sandbox.egress.')
          ? (reached[path] ?? 'lets cells reach these hosts')
          : `is looser than the built-in ${builtIn.get(path)?.value ?? 'none'}`,
      }))
  );
}

const reached: Readonly<Record<string, string>> = {
  'sandbox.egress.setup':
    'lets setup reach these hosts; on what agents wrote, only an install whose files are as on the base branch',
  'sandbox.egress.diagnostics':
    'lets diagnostics of code that agents wrote, and the setup before them, reach these hosts',
};

// A list of what is forbidden is looser without an entry, one of what is allowed with one more.
const fences = { blocked_tools: 'without', hidden_paths: 'without', allowed_tools: 'with' } as const;
// Paths that version 1 of the file hid by default.
const hiddenInVersion1 = ['.env*', '**/.env*', '*.secret', '**/*.secret', '*.key', '**/*.key'];

/** Lists looser tools and paths; commands in a cell and which files are meant are up to each project. */
function listPermissions({ permissions }: Config): readonly LoosenedValue[] {
  const builtIn = defaultConfig().permissions;
  return (['blocked_tools', 'hidden_paths', 'allowed_tools'] as const).flatMap((fence) => {
    const isOld = fence === 'hidden_paths' && permissions.hidden_paths === null;
    const name = isOld ? 'blocked_paths' : fence;
    const entries = permissions[name] ?? [];
    const known = isOld ? hiddenInVersion1 : (builtIn[fence] ?? []);
    const isKept = (entry: string): boolean =>
      entries.includes(entry) || (fence === 'hidden_paths' && isLockInsideGlobs(entry, entries));
    const loose =
      fences[fence] === 'with'
        ? entries.filter((entry) => !known.includes(entry))
        : known.filter((entry) => !isKept(entry));
    if (loose.length === 0) return [];
    const effect = `limits agents less than the built-in list: ${fences[fence]} ${loose.join(', ')}`;
    return [{ keys: ['permissions', name], path: `permissions.${name}`, value: JSON.stringify(entries), effect }];
  });
}

/** Lists prices: limits in money are counted by them, so none counts without the person's decision. */
function listPrices(config: Config): readonly LoosenedValue[] {
  const effect = 'sets the prices that limits in dollars are counted by';
  return Object.entries(config.models.prices).map(([model, price]) => {
    const keys = ['models', 'prices', model];
    return { keys, path: keys.join('.'), value: JSON.stringify(price), effect };
  });
}

/** Accounts whose comments on pull requests reach agents, beside members of the repository. */
function listHeard({ pull_requests: { commenters } }: Config): readonly LoosenedValue[] {
  if (commenters.length === 0) return [];
  const effect = 'lets comments of these accounts on pull requests reach agents, even if they are not members';
  const keys = ['pull_requests', 'commenters'];
  return [{ keys, path: keys.join('.'), value: JSON.stringify(commenters), effect }];
}

/** More of it, or of money none at all: 0 is unlimited. `require: false` works where nothing can be enforced. */
function isLooser(path: string, value: unknown, builtIn: unknown): boolean {
  if (path === 'sandbox.require') return value === false;
  if (path.startsWith('sandbox.egress.') && Array.isArray(value)) return value.length > 0;
  if (path.startsWith('memory.')) return path === 'memory.others' && value === true;
  if (path.startsWith('queen.')) return isLooserLeadAgent(path, value, builtIn);
  // They are about claims by hand, which run out sooner with it, and about how long a person waits.
  if (path === 'limits.claim_timeout' || path === 'limits.wait_for_service') return false;
  if (typeof value !== 'number') return false;
  if (typeof builtIn !== 'number') return true;
  return value > builtIn || (value === 0 && builtIn > 0 && path.endsWith('_usd'));
}

function inTokens({ limits }: Config, path: string): boolean {
  if (path === 'limits.max_session_cost_usd') return limits.max_session_tokens > 0;
  const role = /^limits\.token_budget\.(planner|worker|validator|merger|queen)_usd$/.exec(path)?.[1];
  return Number(findValueAtPath(limits, ['token_budget', `${role}_tokens`])) > 0;
}

/** True if a setting leaves more to the lead agent than the built-in value. */
function isLooserLeadAgent(path: string, value: unknown, builtIn: unknown): boolean {
  if (path === 'queen.ask_in_chat') return Array.isArray(value) && value.length > 0;
  if (path === 'queen.may_drop') return value === true;
  return typeof value === 'number' && (typeof builtIn !== 'number' || value > builtIn);
}
