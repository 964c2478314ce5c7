import { checkAdapter } from '../../cell/run/check-adapter.ts';
import type { RunnerContext } from '../../cell/runner-context.ts';
import { adapterNames } from '../../domain/config/agent-clis.ts';
import { configuredChoices } from '../../domain/config/role-settings.ts';
import { FlameError } from '../../domain/flame-error.ts';

export interface ConfiguredAdapters {
  /** What the roles and groups of this configuration need to run. */
  readonly used: readonly string[];
  /** What is installed, used or not. */
  readonly present: readonly string[];
  /** The version, or why it can't be used. */
  readonly versions: ReadonlyMap<string, string | FlameError>;
  /** See Adapter.weaker. */
  readonly weaker: ReadonlyMap<string, readonly string[]>;
}

/** Looks for every adapter's program and asks for its version. */
export async function configuredAdapters(context: RunnerContext): Promise<ConfiguredAdapters> {
  const { planner, worker, queen } = context.config.roles;
  // Plans for scripts come from a file.
  const hasPlanner = planner.adapter !== null || worker.adapter !== 'exec';
  const used = configuredChoices(context.config)
    .filter(({ role }) => role !== 'planner' || hasPlanner)
    // Only a person's own word starts one.
    .filter(({ role }) => role !== 'queen' || queen.adapter !== null)
    .map(({ adapter }) => adapter)
    .filter((name, index, all) => name !== 'none' && all.indexOf(name) === index);
  const versions = new Map<string, string | FlameError>();
  for (const name of adapterNames) versions.set(name, await versionOf(context, name));
  return {
    used,
    versions,
    present: adapterNames.filter((name) => typeof versions.get(name) === 'string'),
    weaker: new Map(adapterNames.map((name) => [name, context.adapters(name).weaker])),
  };
}

async function versionOf(context: RunnerContext, name: string): Promise<string | FlameError> {
  try {
    return await checkAdapter(context, name);
  } catch (error) {
    if (error instanceof FlameError) return error;
    throw error;
  }
}
