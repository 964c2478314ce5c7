import { join } from 'node:path';
import { cloneStateDir } from '../../util/own-folders.ts';
import { fileStamp, namesIn } from '../../util/read-file.ts';

interface Place {
  readonly commonDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the configuration; null: there is none. */
  readonly configFile: string | null;
}

/**
 * Another text after each change of a session's refs, of what was decided in this clone, of who works on it, and of the
 * configuration: as the files show it, without a question to git. It may change without any of them.
 */
export function stateMark({ commonDir, env, configFile }: Place): string {
  const refs = join(commonDir, 'refs', 'blueflame');
  const files = [
    ...namesIn(refs).map((name) => join(refs, name)),
    join(commonDir, 'packed-refs'),
    join(commonDir, 'reftable', 'tables.list'),
    join(cloneStateDir(env, commonDir), 'decisions'),
    join(commonDir, 'blueflame', 'locks'),
    ...(configFile === null ? [] : [configFile]),
  ];
  return files.map(fileStamp).join();
}
