import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Config } from '../domain/config/config.ts';
import { FlameError } from '../domain/flame-error.ts';
import { defaultConfig, digestConfig, parseConfig } from './parse-config.ts';

export interface LoadedConfig {
  readonly config: Config;
  /** null: there is no file, all values are defaults. */
  readonly file: string | null;
  /** The file's text, for explainConfig; null without a file. */
  readonly text: string | null;
  readonly warnings: readonly string[];
  /** See ParsedConfig.digest. */
  readonly digest: string;
}

/**
 * Reads the configuration from a file, or takes the defaults where there is none.
 * Throws a FlameError `bad-config` (all mistakes in it), `config-too-new` or `config-unreadable`.
 */
export async function loadConfig(options: {
  readonly file: string | null;
  /** The file's name in errors; its last name by default. */
  readonly displayName?: string;
}): Promise<LoadedConfig> {
  const { file } = options;
  if (file === null) {
    const config = defaultConfig();
    return { config, file, text: null, warnings: [], digest: digestConfig(config) };
  }
  const name = options.displayName ?? basename(file);
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
