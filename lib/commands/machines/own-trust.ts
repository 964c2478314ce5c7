import type { Config } from '../../domain/config/config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { sharedRoles } from '../../domain/state/machine.ts';
import { type GitContext, gitText } from '../../git/process/run-git.ts';

type Trusted = Config['machines']['trusted'][number];

/** The git setting by which a person trusts keys: their own configuration, which isn't shared. */
const setting = 'blueflame.trustedMachine';

/**
 * Reads the keys of machines that this person trusts in any session of the repository, each until a day: `git config
 * --add blueflame.trustedMachine "KEY ROLE[,ROLE] YYYY-MM-DD"`. Throws FlameError `trusted-machine`.
 */
export async function readOwnTrust(context: GitContext): Promise<Config['machines']['trusted']> {
  const text = await gitText(context, ['config', '--get-all', setting], { accept: [0, 1] });
  return text.split('\n').filter(Boolean).map(parseTrusted);
}

/** One value of that setting. Throws FlameError `trusted-machine`. */
export function parseTrusted(value: string): Trusted {
  const [key = '', names = '', until = '', ...more] = value.trim().split(/\s+/);
  const roles = sharedRoles.filter((role) => names.split(',').includes(role));
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(until) && !Number.isNaN(Date.parse(until));
  if (roles.length > 0 && roles.length === names.split(',').length && isDay && more.length === 0)
    return { key, roles, until };
  throw new FlameError({
    kind: 'refused',
    code: 'trusted-machine',
    message: `${setting} says ${JSON.stringify(value)}: it takes a key, roles and the last day on which it counts.`,
    hints: [
      `git config --get-all --show-origin ${setting}`,
      `git config --add ${setting} "KEY validate,merge 2030-12-31"`,
    ],
  });
}
