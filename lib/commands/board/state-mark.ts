import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../util/read-file.ts';
import { cloneStateDir } from '../../util/user-state.ts';

interface Place {
  readonly commonDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the configuration; null: there is none. */
  readonly configFile: string | null;
}

/**
 * Another text after each change of a session's refs, of what was decided in this clone, of who works on it, and of the
 * configuration: as the
 * files show it, without a question to git. It may change without any of them.
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
  return files.map(markOf).join(' ');
}

function markOf(file: string): string {
  const facts = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return facts === undefined ? '-' : `${facts.ino}.${facts.size}.${facts.mtimeNs}`;
}
