import { getAdapter } from '../../agents/get-adapter.ts';
import { findProgram } from '../../cell/sandbox/tool-paths.ts';
import type { Config } from '../../domain/config/config.ts';
import { roleAdapter } from '../../domain/config/role-settings.ts';

const roles = ['planner', 'worker', 'validator', 'merger'] as const;

/** The programs of a configuration's agents that this machine lacks, by looking alone: nothing of it was allowed yet. */
export function missingPrograms(
  config: Config,
  { searchPath, root }: { readonly searchPath: string; readonly root: string },
): readonly string[] {
  const folders = searchPath.split(':').filter((folder) => folder !== '');
  // A run from a plan file needs no planner, and one without conflicts no merger.
  const needed = roles.filter(
    (role) => role === 'worker' || role === 'validator' || config.roles[role].adapter !== null,
  );
  const names = new Set(needed.map((role) => roleAdapter(config, role)).filter((name) => name !== 'none'));
  const programs = [...names].flatMap((name) => getAdapter(name, config).command[0] ?? []);
  return [...new Set(programs)].filter((program) => findProgram(program, folders, root) === null);
}
