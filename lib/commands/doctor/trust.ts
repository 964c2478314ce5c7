import type { LoadedConfig } from '../../config/load-config.ts';
import type { Config } from '../../domain/config/config.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import type { Io } from '../../domain/shown/io.ts';
import { describeItem } from '../../trust/repository/guard.ts';
import { isAllowed, readPermission } from '../../trust/repository/permission.ts';
import type { Reading } from '../open/read-state.ts';
import { readAsked } from '../open/repository-trust.ts';

export interface TrustExamined {
  readonly findings: readonly Finding[];
  /** What may be tried: without what was not allowed. */
  readonly config: Config;
  /** Whether nothing was left out. */
  readonly isAllowed: boolean;
}

/** Whether what this repository's files ask for is allowed, and what would be asked. */
export function examineTrust(
  loaded: LoadedConfig,
  io: Io,
  { git, root }: Pick<Reading, 'git'> & { readonly root: string },
): TrustExamined {
  try {
    const { content, place } = readAsked(loaded, io, { git, root });
    if (content.items.length === 0) return { findings: [], config: content.config, isAllowed: true };
    const isSafe = isAllowed(content, readPermission(place));
    const check = checkOf('state', 'trust', false);
    if (isSafe) {
      const findings = [check.proven("You allowed what this repository's files ask for.")];
      return { findings, config: content.config, isAllowed: true };
    }
    const left = check.weaker(
      "You have not allowed what this repository's files ask for: it is left out here.",
      { details: content.items.map(describeItem), hints: ['git flame trust'] },
    );
    return { findings: [left], config: withoutAsked(content.config), isAllowed: false };
  } catch (error) {
    const findings = [checkOf('state', 'trust').failed(error)];
    return { findings, config: withoutAsked(loaded.config), isAllowed: false };
  }
}

/** Programs that were not allowed are not started, folders not shown. */
function withoutAsked(config: Config): Config {
  const { superpowers } = config;
  return { ...config, adapters: {}, superpowers: { ...superpowers, enabled: false, plugin_dir: null } };
}
