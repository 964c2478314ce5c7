import { findConfigFile } from '../../config/find-config-file.ts';
import { isHeld } from '../../core/schedule/next-action.ts';
import { expiredClaims, holderOf } from '../../core/schedule/task-holder.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Task } from '../../domain/state/task.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import type { Reading } from './read-state.ts';

/** Claims by hand that the next command which works sets free, as lines; none where the configuration says nothing. */
export async function overdueClaims(
  tasks: readonly Task[],
  { git, configFile }: Pick<Reading, 'git' | 'configFile'>,
): Promise<readonly string[]> {
  const root = git.repository.mainWorkTree;
  if (root === null || !tasks.some(isHeld)) return [];
  const timeout = await claimTimeout(root, configFile);
  const overdue = expiredClaims(tasks, timeout, new Date());
  return overdue.map(
    (task) =>
      `${task.id}, claimed by ${visibleLine(holderOf(task))}, was held for too long: git flame work frees it.`,
  );
}

/** Claims of this clone's agents that do not run any more, as lines; `live` are those that do, `frees` is a command. */
export function goneClaims(
  tasks: readonly Task[],
  {
    live,
    place,
    frees,
  }: { readonly live: readonly { readonly id: string }[]; readonly place: string; readonly frees: string },
): readonly string[] {
  const running = new Set(live.map(({ id }) => id));
  return tasks
    .filter(({ status, claimed_host: host }) => status === 'claimed' && (host === null || host === place))
    .flatMap(({ id, agent_id: agent }) =>
      agent === null || running.has(agent)
        ? []
        : [`${id} is claimed by ${agent}, which does not run any more: ${frees} frees it.`],
    );
}

/** How long a claim by hand holds where the configuration doesn't say it. */
export const unlessSaid = 'never';

/** Reads `claim_timeout`; with a configuration that can't be read, its default: commands that only read still work. */
async function claimTimeout(root: string, configFile: string | null): Promise<number | 'never'> {
  // Loads the configuration only where the file names the setting.
  const file = await findConfigFile(root, configFile).catch(() => null);
  if (file === null || !/claim_timeout|\\/.test(readTextOrEmpty(file))) return unlessSaid;
  const { readConfig } = await import('./read-config.ts');
  try {
    return (await readConfig(root, configFile)).config.limits.claim_timeout;
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    return unlessSaid;
  }
}
