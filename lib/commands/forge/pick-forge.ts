import type { Config } from '../../domain/config/config.ts';
import type { ForgeName } from '../../domain/config/config-pull-requests.ts';
import type { Io } from '../../domain/shown/io.ts';
import { gitText } from '../../git/process/run-git.ts';
import { parseAddress } from './address.ts';
import type { Forge } from './forge.ts';
import { openGh } from './gh.ts';
import { openGlab } from './glab.ts';
import { hasForge, runForge } from './run-forge.ts';

interface Asking {
  readonly cwd: string;
  readonly io: Io;
  /** The command to try again. */
  readonly retry: string;
}

/** A host by its program. */
export function openForge(name: ForgeName, asking: Asking): Forge {
  const open = { gh: openGh, glab: openGlab }[name];
  return open((words) => runForge(name, asking, words));
}

/**
 * Which program speaks with the host of a remote: the one that the configuration names; else by the host's name; else
 * glab where that alone is in PATH, and gh everywhere else.
 */
export async function pickForge(
  config: Pick<Config, 'pull_requests'>,
  { cwd, io }: Pick<Asking, 'cwd' | 'io'>,
  remote: string,
): Promise<ForgeName> {
  const { forge } = config.pull_requests;
  if (forge !== null) return forge;
  const url = await gitText({ cwd, env: io.env }, ['remote', 'get-url', '--push', remote], {
    accept: [0, 2, 128],
  });
  const host = hostOf(url);
  if (host.includes('gitlab')) return 'glab';
  if (host.includes('github')) return 'gh';
  return hasForge('glab', io.env.PATH) && !hasForge('gh', io.env.PATH) ? 'glab' : 'gh';
}

/** Of `https://host/…`, `ssh://git@host/…` or `git@host:…`; '' of a path. */
function hostOf(url: string): string {
  const [, host = ''] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/]*@)?([\w.-]+)(?=[:/])/i.exec(url) ?? [];
  return host.toLowerCase();
}

/** The program that knows an address: what is there is not asked of another host. */
export function forgeOf(url: string): ForgeName {
  return parseAddress(url)?.forge ?? 'gh';
}
