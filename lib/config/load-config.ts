import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Config, configSchema } from '../domain/config/config-schema.ts';
import { explainForeignModel, listExampleModels } from '../domain/config/known-clis.ts';
import { type ConfiguredAgent, listConfiguredAgents } from '../domain/config/role-adapter-and-model.ts';
import { supportedSchemaVersion } from '../domain/config/schema-version.ts';
import { FlameError } from '../domain/flame-error.ts';
import { canonicalJson } from '../util/canonical-digest.ts';
import { checkYamlAgainstSchema, dropConsequentialProblems, findValueAtPath, renderPath } from './check-yaml-value.ts';
import { describeTooNewConfig, findUpgradeCommand } from './find-config-file.ts';
import { isWrittenInYaml, locateInYaml } from './locate-value.ts';
import { migrateDocument } from './migrate-config.ts';
import { badConfigError, throwFileProblems } from './throw-file-problems.ts';
import { type FileProblem, readYamlSource, type ValuePath, type YamlSource } from './yaml-source.ts';

export interface LoadedConfig {
  readonly config: Config;
  /** null: there is no file, all values are defaults. */
  readonly file: string | null;
  /** The file's text, for renderConfigWithOrigins; null without a file. */
  readonly text: string | null;
  readonly warnings: readonly string[];
  /** See ParsedConfig.digest. */
  readonly digest: string;
}

/**
 * Reads the configuration from a file, or takes the defaults where there is none.
 * Throws a FlameError `bad-config` (all mistakes in it), `config-too-new` or `config-unreadable`.
 */
export async function loadConfig({ file }: { readonly file: string | null }): Promise<LoadedConfig> {
  if (file === null) {
    const config = defaultConfig();
    return { config, file, text: null, warnings: [], digest: digestConfig(config) };
  }
  const name = basename(file);
  const text = await readText(file, name);
  const parsed = parseConfig(text, name);
  return { ...parsed, file, text };
}

/** Reads a text file as UTF-8 and nothing else. Throws a FlameError `config-unreadable`. */
async function readText(file: string, name: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    throw new FlameError({
      kind: 'environment',
      code: 'config-unreadable',
      message: `${name} ${reasonOf(error)}.`,
      hints: [`mv ${name} ${name}.old && git flame init`],
      cause: error,
      data: { file },
    });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return 'is not UTF-8 text';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EISDIR') return 'is a folder';
  return `can't be read (${code === '' ? String(error) : code})`;
}

interface ParsedConfig {
  readonly config: Config;
  /** Sentences for a person; nothing that stops the work. */
  readonly warnings: readonly string[];
  /** The first 12 hex digits of the SHA-256 of all effective values: equal for files that mean the same. */
  readonly digest: string;
}

/**
 * Reads the text of a configuration, of an older version too. Throws one FlameError `bad-config` with all
 * mistakes in it, or `config-too-new`.
 */
export function parseConfig(text: string, fileName: string): ParsedConfig {
  const source = readYamlSource(text, fileName);
  const { version, notes } = migrateDocument(source.document);
  if (version !== null && version > supportedSchemaVersion) throw tooNew(fileName, version);
  const { value, raw, problems } = checkYamlAgainstSchema(configSchema, source);
  const clashes = dropConsequentialProblems(source, findLimitClashes(raw, source));
  const foreign = value === null ? [] : findForeignModels(value, source);
  throwFileProblems(source, [...problems, ...clashes, ...foreign], (message, init) =>
    badConfigError(message, {
      ...init,
      hints: ['Correct it, then check the effective values: git flame config'],
    }),
  );
  const config = value ?? defaultConfig();
  return {
    config,
    warnings: [...listWarnings(source, version, raw), ...notes.map((note) => `${source.fileName}: ${note}`)],
    digest: digestConfig(config),
  };
}

/** The configuration of a repository that has none. */
export function defaultConfig(): Config {
  return configSchema.parse({});
}

/** See ParsedConfig.digest. */
export function digestConfig(config: Config): string {
  return createHash('sha256').update(canonicalJson(config)).digest('hex').slice(0, 12);
}

function listWarnings(source: YamlSource, version: number | null, raw: unknown): readonly string[] {
  const name = source.fileName;
  const warnings: string[] = [];
  if (version === null) {
    warnings.push(`${name} has no schema_version and is read as version 1; to add it: git flame config migrate`);
  } else if (version < 1) {
    warnings.push(
      `${name} has schema_version ${version} and is read as version ${supportedSchemaVersion}; to rewrite it: git flame config migrate`,
    );
  }
  const old = findValueAtPath(raw, ['limits', 'token_budget', 'warn_threshold']);
  const current = findValueAtPath(raw, ['limits', 'warn_threshold']);
  if (old !== undefined && current !== undefined) {
    warnings.push(`${name} sets limits.warn_threshold, so limits.token_budget.warn_threshold has no effect`);
  }
  return warnings;
}

function tooNew(fileName: string, version: number): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'config-too-new',
    message: describeTooNewConfig(fileName, version),
    hints: [findUpgradeCommand()],
    data: { version, supported: supportedSchemaVersion },
  });
}

/**
 * Finds models whose names belong to another CLI than the one they are configured with. Unknown names pass: the
 * person's own service may have them.
 */
function findForeignModels(config: Config, source: YamlSource): readonly FileProblem[] {
  const found = listConfiguredAgents(config)
    .filter((choice) => choice.role !== 'queen' || isAskedFor(source))
    .flatMap((choice) => {
      const why = explainForeignModel(choice.adapter, choice.model, config.models.prices);
      return why === null ? [] : [problemOf(choice, why, source)];
    });
  // The default of all roles is one mistake, not one for each role.
  return found.filter(({ path }, index) => found.findIndex((other) => other.path === path) === index);
}

/** The lead agent starts only where a person asks for it: settings of all roles don't ask for it. */
function isAskedFor(source: YamlSource): boolean {
  return isWrittenInYaml(source, ['models', 'queen']) || isWrittenInYaml(source, ['roles', 'queen', 'adapter']);
}

function problemOf({ role, group, adapter, model }: ConfiguredAgent, why: string, source: YamlSource): FileProblem {
  const places: readonly ValuePath[] = [
    ...(group === null
      ? []
      : [
          ['models', 'groups', group, role],
          ['models', 'groups', group],
        ]),
    ['models', role],
    ['models', 'default'],
    ['roles', role, 'adapter'],
    ['roles', 'default', 'adapter'],
  ];
  const place = places.find((one) => isWrittenInYaml(source, one)) ?? ['models', role];
  const examples = `name one of its models, such as ${listExampleModels(adapter)}`;
  return {
    path: renderPath(place),
    message: `${why}, and the ${role} runs with ${adapter}`,
    hint:
      model === ''
        ? `${examples}: models: { default: … }`
        : `${examples}; or, if a service of your own offers it, add its price to models.prices`,
    ...locateInYaml(source, place, 'value'),
  };
}

const budget = ['limits', 'token_budget'];
/** Limits in tokens and the limits in dollars they exclude. */
const pairs: readonly (readonly [ValuePath, ValuePath])[] = [
  [
    ['limits', 'max_session_tokens'],
    ['limits', 'max_session_cost_usd'],
  ],
  ...['planner', 'worker', 'validator', 'merger', 'queen'].map(
    (role) => [[...budget, `${role}_tokens`] as const, [...budget, `${role}_usd`] as const] as const,
  ),
];

/** Finds limits set in dollars and in tokens at once. Reads the text as written, even where other values are wrong. */
function findLimitClashes(raw: unknown, source: YamlSource): readonly FileProblem[] {
  return pairs.flatMap(([inTokens, inDollars]) => {
    if (!isSet(findValueAtPath(raw, inTokens)) || !isSet(findValueAtPath(raw, inDollars))) return [];
    return {
      path: renderPath(inTokens),
      message: `excludes ${renderPath(inDollars)}: a limit is in dollars or in tokens`,
      hint: 'set one of them to 0',
      ...locateInYaml(source, inTokens, 'value'),
    };
  });
}

function isSet(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}
