import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diffConfigs } from '../../config/config-values.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { type Config, configSchema } from '../../domain/config/config.ts';

/** Keeps the values a command works by, beside the logs, so that a later one can show what changed. */
export async function keepConfig(commonDir: string, { digest, text }: LoadedConfig): Promise<void> {
  const folder = join(commonDir, 'blueflame', 'logs');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${digest}.config.yml`), text ?? '', { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
}

/** The effective values that differ from those of an earlier digest, one line each. */
export async function configChanges(
  commonDir: string,
  from: string,
  now: LoadedConfig,
): Promise<readonly string[]> {
  const { parseConfig } = await import('../../config/load-config.ts');
  const file = join(commonDir, 'blueflame', 'logs', `${from}.config.yml`);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null)
    return [`The values of ${from} are not known here any more; those of now: git flame config`];
  // As written: only the values in force switch off what this machine lacks, such as a plugin.
  const read = (words: string): Config =>
    words === '' ? configSchema.parse({}) : parseConfig(words, '.blueflame.yml').config;
  return diffConfigs(read(text), read(now.text ?? '')).map(
    ({ path, before: old, after }) => `${path}: ${old ?? '(none)'} -> ${after ?? '(none)'}`,
  );
}
