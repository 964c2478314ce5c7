import type { LoadedConfig } from '../../config/load-config.ts';
import type { Config } from '../../domain/config/config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { type Finding, finding } from '../../domain/shown/finding.ts';
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
    const found = isSafe
      ? trusted('proven', "You allowed what this repository's files ask for.")
      : trusted('weaker', "You have not allowed what this repository's files ask for: it is left out here.", {
          details: content.items.map(describeItem),
          hints: ['git flame trust'],
        });
    return {
      findings: [found],
      config: isSafe ? content.config : withoutAsked(content.config),
      isAllowed: isSafe,
    };
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const { message, hints } = error;
    return {
      findings: [trusted('missing', message, { hints })],
      config: withoutAsked(loaded.config),
      isAllowed: false,
    };
  }
}

function trusted(result: Finding['result'], message: string, more: Partial<Finding> = {}): Finding {
  return finding({
    area: 'state',
    check: 'trust',
    isRequired: result === 'missing',
    result,
    message,
    ...more,
  });
}

/** Programs that were not allowed are not started, folders not shown. */
function withoutAsked(config: Config): Config {
  const { superpowers } = config;
  return { ...config, adapters: {}, superpowers: { ...superpowers, enabled: false, plugin_dir: null } };
}
