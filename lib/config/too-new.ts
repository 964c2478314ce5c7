import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { supportedSchemaVersion } from '../domain/config/schema-version.ts';
import { packageRoot } from '../util/own-folders.ts';
import { readTextOrEmpty } from '../util/read-file.ts';
import { shellQuote } from '../util/shell-quote.ts';

/** Describes a file of a newer version, with both versions. */
export function sayTooNew(fileName: string, version: number): string {
  return `${fileName} has schema_version ${version}, but this git-flame reads versions up to ${supportedSchemaVersion}.`;
}

/** How this installation becomes newer: the way README installs it. */
export function upgradeCommand(root = packageRoot()): string {
  const [from, folder] = existsSync(join(root, '.git'))
    ? [`cd ${shellQuote(root)} && git pull`, '']
    : ['git clone REPOSITORY git-flame && cd git-flame', ' && npm link'];
  return `${from} && npm start${folder}`;
}

/** The version of a file where it is newer than what is read here; loads neither YAML nor the schema. */
export function newerVersionOf(file: string): number | null {
  const [, digits] =
    /^(?:\ufeff)?schema_version:[ \t]+(\d{1,9})[ \t]*(?:#.*)?\r?$/m.exec(readTextOrEmpty(file)) ?? [];
  const version = Number(digits ?? 0);
  return version > supportedSchemaVersion ? version : null;
}
