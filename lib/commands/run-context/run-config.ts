import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { getAdapter } from '../../agents/get-adapter.ts';
import { resolveSuperpowers } from '../../agents/superpowers.ts';
import type { RunnerOptions } from '../../cell/run/make-context.ts';
import { findProgram } from '../../cell/sandbox/tool-paths.ts';
import { diffConfigs } from '../../config/list-config-values.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { type Config, configSchema } from '../../domain/config/config-schema.ts';
import { findRoleAdapter } from '../../domain/config/role-adapter-and-model.ts';
import type { AgentRunner } from '../../domain/ports/agent-port.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { packageRoot } from '../../util/user-folders.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { type PermissionGate, type PermissionRequest, readPermissionRequest } from '../context/permission-gate.ts';
import { readConfig } from '../context/read-config.ts';

/** A configuration that was allowed, with what it asks for. */
export interface RunConfig extends LoadedConfig {
  readonly permissionRequest: PermissionRequest;
}

export interface RunConfigSource {
  readonly reading: Pick<ReadContext, 'git' | 'configFile'>;
  readonly root: string;
  readonly trust: PermissionGate;
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
  const loaded = await readConfig(root, configFile, git.repository.workTree);
  const permissionRequest = readPermissionRequest(loaded, io, { git, root });
  const missing = listMissingPrograms(loaded.config, { searchPath: io.env.PATH ?? '', root });
  await trust.admit(permissionRequest, pause, missing);
  const { config } = permissionRequest.content;
  const { superpowers, warning } = resolveSuperpowers(config.superpowers, io.env.HOME ?? homedir());
  const warnings = warning === null ? loaded.warnings : [...loaded.warnings, warning];
  return { ...loaded, permissionRequest, config: { ...config, superpowers }, warnings };
}

/** True if nothing differs, the content of named files included. */
export function isSameConfig(one: RunConfig, other: RunConfig): boolean {
  return one.digest === other.digest && one.permissionRequest.content.digest === other.permissionRequest.content.digest;
}

/** The parts that a reload replaces: the configuration in force, and the agents started by it. */
export interface CurrentConfig {
  readonly loaded: RunConfig;
  readonly agents: AgentRunner;
  /** Agents that were started before keep their configuration. */
  replace(loaded: RunConfig): void;
  /** Ends the agents still running, by any configuration. */
  close(): Promise<void>;
}

export function openCurrentConfig(first: RunConfig, open: (config: Config) => AgentRunner): CurrentConfig {
  let loaded = first;
  let agents = open(first.config);
  const all = [agents];
  return {
    get loaded() {
      return loaded;
    },
    get agents() {
      return agents;
    },
    replace: (next) => {
      loaded = next;
      agents = open(next.config);
      all.push(agents);
    },
    close: async () => {
      await Promise.all(all.map((one) => one.close()));
    },
  };
}

const roles = ['planner', 'worker', 'validator', 'merger'] as const;

/** The programs of a configuration's agents that this machine lacks, by looking alone: nothing of it was allowed yet. */
export function listMissingPrograms(
  config: Config,
  { searchPath, root }: { readonly searchPath: string; readonly root: string },
): readonly string[] {
  const folders = searchPath.split(':').filter((folder) => folder !== '');
  // A run from a plan file needs no planner, and one without conflicts no merger.
  const needed = roles.filter(
    (role) => role === 'worker' || role === 'validator' || config.roles[role].adapter !== null,
  );
  const names = new Set(needed.map((role) => findRoleAdapter(config, role)).filter((name) => name !== 'none'));
  const programs = [...names].flatMap((name) => getAdapter(name, config).command[0] ?? []);
  return [...new Set(programs)].filter((program) => findProgram(program, folders, root) === null);
}

/** Keeps the values a command works by, beside the logs, so that a later one can show what changed. */
export async function saveConfig(commonDir: string, { digest, text }: LoadedConfig): Promise<void> {
  const folder = join(commonDir, 'blueflame', 'logs');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${digest}.config.yml`), text ?? '', { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
}

/** The effective values that differ from those of an earlier digest, one line each. */
export async function listConfigChanges(
  commonDir: string,
  from: string,
  now: LoadedConfig,
): Promise<readonly string[]> {
  const { parseConfig } = await import('../../config/load-config.ts');
  const file = join(commonDir, 'blueflame', 'logs', `${from}.config.yml`);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return [`The values of ${from} are no longer known here. The current ones: git flame config`];
  // As written: only the values in force switch off what this machine lacks, such as a plugin.
  const read = (words: string): Config =>
    words === '' ? configSchema.parse({}) : parseConfig(words, '.blueflame.yml').config;
  return diffConfigs(read(text), read(now.text ?? '')).map(
    ({ path, before: old, after }) => `${path}: ${old ?? '(none)'} -> ${after ?? '(none)'}`,
  );
}

/** The options that agents and probes are started with, by a configuration. */
export function buildRunnerOptions({ repository }: Pick<GitPort, 'repository'>, config: Config, io: Io): RunnerOptions {
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
