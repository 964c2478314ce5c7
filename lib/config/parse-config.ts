import { createHash } from 'node:crypto';
import { type Config, configSchema } from '../domain/config/config.ts';
import { supportedSchemaVersion } from '../domain/config/schema-version.ts';
import { FlameError } from '../domain/flame-error.ts';
import { canonicalJson } from '../util/canonical-digest.ts';
import { badConfig } from './bad-config.ts';
import { checkValue, keepSound, valueAt } from './check-value.ts';
import { findForeignModels } from './find-foreign-models.ts';
import { findLimitClashes } from './find-limit-clashes.ts';
import { migrateDocument } from './migrate-config.ts';
import { refuseProblems } from './render-problems.ts';
import { sayTooNew, upgradeCommand } from './too-new.ts';
import { readYamlSource, type YamlSource } from './yaml-source.ts';

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
  const { value, raw, problems } = checkValue(configSchema, source, {});
  const clashes = keepSound(source, findLimitClashes(raw, source));
  const foreign = value === null ? [] : findForeignModels(value, source);
  refuseProblems(source, [...problems, ...clashes, ...foreign], (message, init) =>
    badConfig(message, {
      ...init,
      hints: ['Correct it, then look at what is in force: git flame config'],
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
    warnings.push(
      `${name} has no schema_version and is read as version 1; to add it: git flame config migrate`,
    );
  } else if (version < 1) {
    warnings.push(
      `${name} has schema_version ${version} and is read as version ${supportedSchemaVersion}; to rewrite it: git flame config migrate`,
    );
  }
  const old = valueAt(raw, ['limits', 'token_budget', 'warn_threshold']);
  const current = valueAt(raw, ['limits', 'warn_threshold']);
  if (old !== undefined && current !== undefined) {
    warnings.push(`${name} sets limits.warn_threshold, so limits.token_budget.warn_threshold does not count`);
  }
  return warnings;
}

function tooNew(fileName: string, version: number): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'config-too-new',
    message: sayTooNew(fileName, version),
    hints: [upgradeCommand()],
    data: { version, supported: supportedSchemaVersion },
  });
}
