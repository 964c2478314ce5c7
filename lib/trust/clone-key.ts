import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FlameError } from '../domain/flame-error.ts';
import type { SignedWord } from '../domain/ports/sharing-port.ts';
import { makePrivateKey, publicKeyOf, signText } from '../util/machine-key.ts';
import { makeFolders } from '../util/make-folders.ts';
import { cloneStateDir } from '../util/user-state.ts';

/** What this clone signs with in sessions that machines share. */
export interface CloneKey {
  /** ed25519, base64url. */
  readonly key: string;
  sign(text: string): SignedWord;
}

/**
 * The key of this clone, made when first asked for: a file of the user outside the repository, which no cell shows and
 * nothing shares. Throws FlameError `machine-key`.
 */
export function openCloneKey(place: {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The common git directory, absolute. */
  readonly commonDir: string;
}): CloneKey {
  const file = join(cloneStateDir(place.env, place.commonDir), 'machine-key');
  try {
    const privateKey = readOrMake(file);
    const key = publicKeyOf(privateKey);
    return { key, sign: (text) => ({ key, signature: signText(privateKey, text) }) };
  } catch (cause) {
    throw new FlameError({
      kind: 'environment',
      code: 'machine-key',
      message: `The key of this clone can't be read or made: ${file}.`,
      hints: [`ls -l ${file}`, `Remove it for a new one: rm ${file}`],
      cause,
    });
  }
}

/** Written whole before it has its name: two processes agree on one, and a kill leaves no part of it. */
function readOrMake(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8');
  makeFolders(dirname(file), 0o700);
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, makePrivateKey(), { mode: 0o600 });
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8');
}
