import { basename } from 'node:path';
import { findConfigFile, newerVersionOf, sayTooNew, upgradeCommand } from '../../config/find-config-file.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { CommandName } from '../../domain/shown/command.ts';
import type { Output } from '../../ui/terminal/output.ts';

/** Commands that work with a configuration that others refuse. */
const looking: readonly CommandName[] = ['status', 'show', 'log', 'stats', 'agent', 'rescue'];

/** Warns at commands that only read that the configuration is too new for those that change state. */
export async function warnOfNewerConfig(
  command: CommandName,
  {
    git,
    configFile,
    output,
  }: {
    readonly git: Pick<GitPort, 'repository'>;
    readonly configFile: string | null;
    readonly output: Pick<Output, 'warn'>;
  },
): Promise<void> {
  const root = git.repository.mainWorkTree;
  if (!looking.includes(command) || (root === null && configFile === null)) return;
  const file = await findConfigFile(root ?? '/', configFile).catch(() => null);
  const version = file === null ? null : newerVersionOf(file);
  if (file === null || version === null) return;
  output.warn(
    `${sayTooNew(basename(file), version)} What changes anything is refused; to renew it: ${upgradeCommand()}`,
  );
}
