import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { supportedSchemaVersion } from '../domain/config/schema-version.ts';
import { FlameError } from '../domain/flame-error.ts';
import { isMissingFileError, readTextOrEmpty } from '../util/read-file.ts';
import { shellQuote } from '../util/shell-quote.ts';
import { packageRoot } from '../util/user-folders.ts';

const configFileName = '.blueflame.yml';
/** Names a person may expect to be read; rules that silently don't apply would be worse than a question. */
const otherNames = ['.blueflame.yaml', 'blueflame.yml', 'blueflame.yaml'];

/**
 * The absolute path of the configuration: the override (relative to the main work tree unless absolute), else
 * `.blueflame.yml` there; null if there is none. Throws a FlameError `config-missing` where the override
 * isn't there, and `config-misnamed` where a file of a similar name is there instead.
 */
export async function findConfigFile(mainWorkTree: string, override?: string | null): Promise<string | null> {
  const file = configFilePath(mainWorkTree, override ?? null);
  if (override !== undefined && override !== null) {
    if (exists(file)) return file;
    throw new FlameError({
      kind: 'environment',
      code: 'config-missing',
      message: `There is no configuration file ${override}.`,
      hints: ['git flame config'],
      data: { file },
    });
  }
  if (exists(file)) return file;
  for (const name of otherNames) {
    if (exists(join(mainWorkTree, name))) throw misnamed(name);
  }
  return null;
}

/** Where it is looked for, whether it is there or not. */
export function configFilePath(mainWorkTree: string, override: string | null): string {
  return resolve(mainWorkTree, override ?? configFileName);
}

// At once: node's threads take longer to be started than the disk to answer.
function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file that is there but can't be looked at must not turn into defaults.
    return !isMissingFileError(error);
  }
}

function misnamed(name: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'config-misnamed',
    message: `The configuration must be named ${configFileName}, but this file is ${name}.`,
    hints: [`git mv ${name} ${configFileName}`],
    data: { found: name },
  });
}

/** Describes a file of a newer version, with both versions. */
export function describeTooNewConfig(fileName: string, version: number): string {
  return `${fileName} has schema_version ${version}, but this git-flame reads versions up to ${supportedSchemaVersion}.`;
}

/** How this installation becomes newer: the way README installs it. */
export function findUpgradeCommand(root = packageRoot()): string {
  const [from, folder] = existsSync(join(root, '.git'))
    ? [`cd ${shellQuote(root)} && git pull`, '']
    : ['git clone REPOSITORY git-flame && cd git-flame', ' && npm link'];
  return `${from} && npm start${folder}`;
}

/** The version of a file where it is newer than what is read here; loads neither YAML nor the schema. */
export function readVersionIfTooNew(file: string): number | null {
  const [, digits] = /^(?:\ufeff)?schema_version:[ \t]+(\d{1,9})[ \t]*(?:#.*)?\r?$/m.exec(readTextOrEmpty(file)) ?? [];
  const version = Number(digits ?? 0);
  return version > supportedSchemaVersion ? version : null;
}
