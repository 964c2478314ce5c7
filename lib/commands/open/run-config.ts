import { homedir } from 'node:os';
import { resolveSuperpowers } from '../../agents/superpowers.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { Io } from '../../domain/shown/command.ts';
import { missingPrograms } from './missing-programs.ts';
import { readConfig } from './read-config.ts';
import type { Reading } from './read-state.ts';
import { type Asked, readAsked, type TrustDesk } from './repository-trust.ts';

/** A configuration that was allowed, with what it asks for. */
export interface RunConfig extends LoadedConfig {
  readonly asked: Asked;
}

export interface RunConfigSource {
  readonly reading: Pick<Reading, 'git' | 'configFile'>;
  readonly root: string;
  readonly trust: TrustDesk;
}

/**
 * The configuration, once it is allowed, with what it names on this machine found: the superpowers plugin, or a
 * warning. What draws on the terminal is paused while a question stands.
 */
export async function readRunConfig(
  { reading: { git, configFile }, root, trust }: RunConfigSource,
  io: Io,
  pause: () => () => void = () => () => undefined,
): Promise<RunConfig> {
  const loaded = await readConfig(root, configFile);
  const asked = readAsked(loaded, io, { git, root });
  const missing = missingPrograms(loaded.config, { searchPath: io.env.PATH ?? '', root });
  await trust.admit(asked, pause, missing);
  const { config } = asked.content;
  const { superpowers, warning } = resolveSuperpowers(config.superpowers, io.env.HOME ?? homedir());
  const warnings = warning === null ? loaded.warnings : [...loaded.warnings, warning];
  return { ...loaded, asked, config: { ...config, superpowers }, warnings };
}

/** True if nothing differs, the content of named files included. */
export function isSameConfig(one: RunConfig, other: RunConfig): boolean {
  return one.digest === other.digest && one.asked.content.digest === other.asked.content.digest;
}
