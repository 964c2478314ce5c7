import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listIgnoredVariables } from '../../cell/gateway/ignored-variables.ts';
import {
  listCredentialVariables,
  readProviderAddress,
  readProviderFacts,
} from '../../cell/gateway/model-credential.ts';
import { addOtherClisToError, checkAdapterVersion, compareVersions } from '../../cell/run/adapter-programs.ts';
import { listConfiguredProviders, unusableProviderError } from '../../cell/run/model-access.ts';
import type { RunnerContext } from '../../cell/runner-context.ts';
import { adapterNames, type ModelProvider } from '../../domain/config/known-clis.ts';
import { listConfiguredAgents } from '../../domain/config/role-adapter-and-model.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import { createCheckFindings, type DoctorFinding } from '../../domain/view-models/doctor-finding.ts';
import { isJsonRecord, parseJsonRecord } from '../../util/json.ts';
import { packageRoot } from '../../util/user-folders.ts';

const oldestNode = [20, 19] as const;

/** The programs everything rests on, with their versions. */
export async function examinePrograms(
  { used, versions, weaker }: ConfiguredAdapters,
  git: Pick<GitPort, 'repository'>,
): Promise<readonly DoctorFinding[]> {
  // An older git was refused when the repository was opened.
  const gitFinding = createCheckFindings('programs', 'git').proven(`git ${git.repository.gitVersion}`);
  const agents = [...versions].flatMap(([name, version]) => {
    const isRequired = used.includes(name);
    const check = createCheckFindings('programs', name, isRequired);
    if (typeof version !== 'string') return isRequired ? [check.failed(version)] : [];
    if (!isRequired) return [check.proven(`${name} ${version}, not used here`)];
    return [check.proven(`${name} ${version}`), ...describeLimits(name, version, weaker.get(name) ?? [])];
  });
  return [gitFinding, examineNode(), ...agents];
}

/** Findings about unknowns of this version, and about weaker protection with this CLI than with others. */
function describeLimits(name: string, version: string, details: readonly string[]): readonly DoctorFinding[] {
  const known = readProvenVersions().get(name);
  const unproven = known === undefined ? null : warnOfUnprovenVersion(name, version, known);
  const limits = `${name} lacks some of what claude offers.`;
  return [
    ...(unproven === null ? [] : [createCheckFindings('programs', `version-${name}`).weaker(unproven)]),
    ...(details.length === 0 ? [] : [createCheckFindings('programs', `limits-${name}`).weaker(limits, { details })]),
  ];
}

function examineNode(): DoctorFinding {
  const { version } = process;
  const check = createCheckFindings('programs', 'node');
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]))
    return check.proven(`node ${version}`);
  const oldest = oldestNode.join('.');
  return check.missing(`node ${version} is older than ${oldest}.`, {
    hints: [`Install node ${oldest} or newer.`],
  });
}

export interface ConfiguredAdapters {
  /** Adapters that the roles and groups of this configuration need. */
  readonly used: readonly string[];
  /** Installed adapters, used or not. */
  readonly present: readonly string[];
  /** The version, or why it can't be used. */
  readonly versions: ReadonlyMap<string, string | FlameError>;
  /** See Adapter.weaker. */
  readonly weaker: ReadonlyMap<string, readonly string[]>;
}

/** Looks for every adapter's program and asks for its version. */
export async function findConfiguredAdapters(context: RunnerContext): Promise<ConfiguredAdapters> {
  const { planner, worker, queen } = context.config.roles;
  // Plans for scripts come from a file.
  const hasPlanner = planner.adapter !== null || worker.adapter !== 'exec';
  const used = listConfiguredAgents(context.config)
    .filter(({ role }) => role !== 'planner' || hasPlanner)
    // A lead agent starts only where a person asks for it.
    .filter(({ role }) => role !== 'queen' || queen.adapter !== null)
    .map(({ adapter }) => adapter)
    .filter((name, index, all) => name !== 'none' && all.indexOf(name) === index);
  const versions = new Map<string, string | FlameError>();
  for (const name of adapterNames) versions.set(name, await versionOf(context, name));
  return {
    used,
    versions,
    present: adapterNames.filter((name) => typeof versions.get(name) === 'string'),
    weaker: new Map(adapterNames.map((name) => [name, context.adapters(name).weaker])),
  };
}

async function versionOf(context: RunnerContext, name: string): Promise<string | FlameError> {
  try {
    return await checkAdapterVersion(context, name);
  } catch (error) {
    if (error instanceof FlameError) return error;
    throw error;
  }
}

const subscription = 'CLAUDE_CODE_OAUTH_TOKEN';

/** Whether there is a credential for each model API that some role of the configuration asks. It is not tried. */
export async function examineCredential(
  context: RunnerContext,
  { used }: ConfiguredAdapters,
): Promise<readonly DoctorFinding[]> {
  const asked = used.flatMap((name) =>
    listConfiguredProviders(context, context.adapters(name)).map((provider): [ModelProvider, string] => [
      provider,
      name,
    ]),
  );
  const findings = [...new Map(asked)].map(([provider, name]) => examineProvider(context, provider, name));
  const isSubscribed = asked.some(([provider]) => isOfSubscription(context, provider));
  return [...findings, ...(isSubscribed ? [ofSubscription()] : []), ...examineIgnored(context, used)];
}

/** Reports environment variables that the CLI would use, and that agents don't get. */
function examineIgnored(context: RunnerContext, used: readonly string[]): readonly DoctorFinding[] {
  const { env, config } = context;
  const ignored = used.flatMap((adapter) =>
    listIgnoredVariables(env, {
      config,
      adapter,
      providers: listConfiguredProviders(context, context.adapters(adapter)),
    }),
  );
  if (ignored.length === 0) return [];
  return [
    createCheckFindings('programs', 'ignored-variables').weaker(
      'Some settings in your environment do not apply to agents.',
      { details: [...new Set(ignored)] },
    ),
  ];
}

function isOfSubscription({ env }: RunnerContext, provider: ModelProvider): boolean {
  return listCredentialVariables(env, provider).some(
    (name) => /sk-ant-oat/.test(env[name] ?? '') || name === subscription,
  );
}

/** The gateway holds agents to their budgets and keeps the token outside as it does with a key; this is what differs. */
function ofSubscription(): DoctorFinding {
  const message = 'A subscription token differs from an API key.';
  return createCheckFindings('programs', 'limits-subscription').weaker(message, {
    details: [
      'Limits and figures in dollars use list prices, but a subscription is charged differently. Limits in tokens are exact.',
      "The subscription's own limits, of some hours and of a week, are known only once one is reached: agents then wait until the time the API names, and continue. limits.wait_for_service sets how long a run waits.",
      'The API decides which models and how many agents at once it allows; only a scripted API was tried here.',
    ],
  });
}

function examineProvider(context: RunnerContext, provider: ModelProvider, adapter: string): DoctorFinding {
  const { env } = context;
  const missing = unusableProviderError(env, provider);
  const check = createCheckFindings('programs', 'credential');
  if (missing !== null) return check.failed(addOtherClisToError(context, adapter, missing));
  const names = listCredentialVariables(env, provider);
  const of = provider === 'anthropic' ? '' : ` of ${readProviderFacts(env, provider).title}`;
  const message =
    names.length === 0
      ? `No credential is set; ${readProviderAddress(env, provider).name} is called without one.`
      : `A credential for the model API${of} is in ${names.join(' and ')}; it was not tried.`;
  return check.proven(message);
}

/** The newest version of an agent CLI that the project's own tests passed with. */
export interface ProvenVersion {
  readonly version: string;
  /** When, `2026-11-22`. */
  readonly date: string;
  /** Proven properties, a few words each. */
  readonly proven: readonly string[];
  /** Roles it was seen to play through a whole session, and how: `planner: …`. */
  readonly roles: readonly string[];
}

/** The file that the tests write (`FLAME_UPDATE=1`, test/clis). */
export const provenFile = join('templates', 'proven-clis.json');

/** Reads proven versions by adapter, without those that the tests never ran. Throws what reading a file throws. */
export function readProvenVersions(): ReadonlyMap<string, ProvenVersion> {
  const rows = Object.entries(parseJsonRecord(readFileSync(join(packageRoot(), provenFile), 'utf8')));
  return new Map(
    rows.flatMap(([name, row]): [string, ProvenVersion][] => {
      if (!isJsonRecord(row) || typeof row.version !== 'string' || typeof row.date !== 'string') return [];
      const { version, date, proven, roles } = row;
      return [[name, { version, date, proven: textsOf(proven), roles: textsOf(roles) }]];
    }),
  );
}

function textsOf(value: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  return all.filter((one) => typeof one === 'string');
}

/** A warning about a version that the tests did not run with; null where it is no newer than theirs. */
export function warnOfUnprovenVersion(name: string, version: string, known: ProvenVersion): string | null {
  return compareVersions(version, known.version) > 0
    ? `${name} ${version} is newer than ${known.version}, the latest version that was fully tested (${known.date}). The canary of each run still tests enforcement with it.`
    : null;
}
