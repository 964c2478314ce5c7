import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findDefaultModel, modelCliNames } from '../../domain/config/known-clis.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Adapter, UnpackedFilesFacts } from '../../domain/ports/adapter.ts';
import { missingCredentialError } from '../gateway/model-credential.ts';
import { homeCellTimeoutMs } from '../probes/probe-cell.ts';
import type { RunnerContext } from '../runner-context.ts';
import { findProgram } from '../sandbox/tool-paths.ts';
import {
  adapterProgramNotFoundError,
  agentMissingError,
  resolveAdapterCommand,
  runAdapterProgram,
} from './resolve-command.ts';

/**
 * Asks an adapter's program for its version, in a cell. Throws FlameError `agent-missing` (not there, or not
 * this program), `agent-too-old` or `agent-unprepared`. `unknown` where any version will do and none could be read.
 */
export async function checkAdapterVersion(context: RunnerContext, name: string): Promise<string> {
  const adapter = context.adapters(name);
  if (!isInstalled(context, adapter)) throw addOtherClisToError(context, name, adapterProgramNotFoundError(adapter));
  const command = resolveAdapterCommand(context, adapter);
  const { stdout, stderr, timedOut } = await runAdapterProgram(context, command, adapter.version.args);
  const output = `${stdout}${stderr}`;
  const version = adapter.version.parse(output);
  const { minimum } = adapter.version;
  if (version === null) {
    if (minimum === null) return 'unknown';
    throw notThisProgram(adapter, command[0] ?? '', { output, timedOut });
  }
  if (minimum !== null && compareVersions(version, minimum) < 0) throw tooOld(adapter, version, minimum);
  await context.prepared(adapter);
  return version;
}

/** Negative, 0 or positive; parts that are missing count as 0. */
export function compareVersions(left: string, right: string): number {
  const [a = [], b = []] = [left, right].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  const longer = a.length > b.length ? a : b;
  return longer.map((_, index) => (a[index] ?? 0) - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

function notThisProgram(
  adapter: Adapter,
  program: string,
  { output, timedOut }: { readonly output: string; readonly timedOut: boolean },
): FlameError {
  const message = timedOut
    ? `${program} did not report its version within ${homeCellTimeoutMs / 1_000} s, so adapter ${adapter.name} can't use it.`
    : `${program} did not report its version, so it is not the program that adapter ${adapter.name} needs.`;
  const details = output.trim().split('\n').slice(-5);
  // A script that starts the program proper, which lies where no cell looks.
  const isWrapper = /no such file or directory|not found|cannot find module/i.test(output);
  const hint =
    'Let cells show the folder of the program it starts, in .blueflame.yml: sandbox: { read_paths: [FOLDER] }';
  return agentMissingError(adapter, program, message, isWrapper ? { details, hint } : { details });
}

function tooOld(adapter: Adapter, version: string, minimum: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'agent-too-old',
    message: `Adapter ${adapter.name} needs version ${minimum} or newer, but found version ${version}.`,
    hints: [adapter.version.install],
    data: { adapter: adapter.name, version, minimum },
  });
}

/**
 * Prepares what an adapter's agents are started with beside their request; null where it needs nothing. Throws
 * FlameError `agent-missing`, or `agent-unprepared` where the program doesn't report its needs, or never unpacked them.
 */
export async function prepareAdapter(context: RunnerContext, adapter: Adapter): Promise<string | null> {
  const { preparation } = adapter;
  if (preparation === null) return null;
  const command = resolveAdapterCommand(context, adapter);
  const { stdout, stderr } = await runAdapterProgram(context, command, preparation.args);
  const prepared = preparation.read(stdout);
  const asked = [...command, ...preparation.args].join(' ');
  if (prepared === null)
    throw unprepared(adapter, {
      message: `\`${asked}\` did not print the data that its agents start with.`,
      details: stderr.trim().split('\n').slice(-5),
      hint: adapter.version.install,
    });
  const { unpacked } = preparation;
  if (unpacked === undefined) return prepared;
  const place = placeOf(context, unpacked);
  if (place !== null && isUnpacked(join(place, unpacked.folder), prepared, unpacked)) return place;
  throw unprepared(adapter, {
    message: `version ${prepared} has not unpacked its files into ${place ?? 'a folder'} yet, and it can't do that in a cell.`,
    details: ['Its agents can only read that folder.'],
    hint: [...adapter.command, ...unpacked.unpack].join(' '),
  });
}

/** Returns the folder where the person's program keeps what it unpacked; null where no variable names one. */
function placeOf({ env }: Pick<RunnerContext, 'env'>, { places }: UnpackedFilesFacts): string | null {
  const found = places.find(([variable]) => env[variable]);
  return found === undefined ? null : join(env[found[0]] ?? '', found[1]);
}

function isUnpacked(folder: string, version: string, { sign }: UnpackedFilesFacts): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder).some((kind) => existsSync(join(folder, kind, version, sign)));
}

function unprepared(
  { name }: Adapter,
  { message, details, hint }: { readonly message: string; readonly details: readonly string[]; readonly hint: string },
): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'agent-unprepared',
    message: `Adapter ${name} can't be used: ${message}`,
    details,
    hints: [hint],
    data: { adapter: name },
  });
}

type Machine = Pick<RunnerContext, 'env' | 'adapters' | 'searchFolders' | 'repository'>;

/** An agent CLI that could play every role here, and what the configuration says then. */
export interface UsableAgentCli {
  readonly name: string;
  readonly roles: { readonly default: { readonly adapter: string } };
  readonly models?: { readonly default: string };
}

/** The CLIs that are installed and whose models can be asked from this environment. Nothing is started. */
export function listUsableAgentClis(machine: Machine): readonly UsableAgentCli[] {
  return modelCliNames.flatMap((name) => {
    const adapter = machine.adapters(name);
    const api = adapter.apis.find(({ provider }) => missingCredentialError(machine.env, provider) === null);
    if (api === undefined || !isInstalled(machine, adapter)) return [];
    const roles = { default: { adapter: name } };
    const needsName = findDefaultModel(name, 'worker') === '';
    return [{ name, roles, ...(needsName ? { models: { default: `${api.named}${api.usual}` } } : {}) }];
  });
}

/** Whether an adapter's program is where the person's shell finds it; its version is not looked at. */
export function isInstalled({ searchFolders, repository }: Machine, { command }: Adapter): boolean {
  const base = repository.mainWorkTree ?? repository.commonDir;
  return findProgram(command[0] ?? '', searchFolders, base) !== null;
}

/** Suggests other CLIs for an adapter that can't be used, as hints; none where no other CLI could. */
export function suggestOtherAgentClis(machine: Machine, adapter: string): readonly string[] {
  return listUsableAgentClis(machine)
    .filter(({ name }) => name !== adapter)
    .map(({ name, roles, models }) => {
      const of = models === undefined ? '' : `, models: { default: ${models.default} }`;
      return `or have ${name} play every role, in .blueflame.yml: roles: { default: { adapter: ${roles.default.adapter} } }${of}`;
    });
}

/** A refusal of an adapter with what else could be used. */
export function addOtherClisToError(machine: Machine, adapter: string, error: FlameError): FlameError {
  const isMissing = error.code === 'agent-missing' || error.code === 'no-credential';
  return isMissing ? error.withHints([...error.hints, ...suggestOtherAgentClis(machine, adapter)]) : error;
}
