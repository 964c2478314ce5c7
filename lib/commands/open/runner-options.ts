import { join } from 'node:path';
import { getAdapter } from '../../agents/get-adapter.ts';
import type { RunnerOptions } from '../../cell/run/make-context.ts';
import type { Config } from '../../domain/config/config.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { Io } from '../../domain/shown/command.ts';
import { packageRoot } from '../../util/own-folders.ts';

/** The options that agents and probes are started with, by a configuration. */
export function runnerOptions(
  { repository }: Pick<GitPort, 'repository'>,
  config: Config,
  io: Io,
): RunnerOptions {
  return {
    config,
    repository,
    env: io.env,
    adapters: (name) => getAdapter(name, config),
    distDir: join(packageRoot(), 'dist'),
    now: () => new Date(),
    signal: io.signal,
    hurry: io.hurry,
  };
}
