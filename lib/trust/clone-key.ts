import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FlameError } from '../domain/flame-error.ts';
import type { SignedStatement } from '../domain/ports/sharing-port.ts';
import { appendKeyFingerprint, cloneName, makePrivateKey, publicKeyOf, signTextWithKey } from '../util/machine-key.ts';
import { cloneStateDir } from '../util/user-folders.ts';
import { makeFolders } from '../util/write-files.ts';
import type { CloneAndEnv } from './clone-folders.ts';

/** Key this clone signs with in sessions that machines share. */
export interface CloneKey {
  /** ed25519, base64url. */
  readonly key: string;
  sign(text: string): SignedStatement;
}

/**
 * The key of this clone: the one in FLAME_MACHINE_KEY, else made when first asked for, in a file of the user outside the
 * repository, which no cell shows and nothing shares. Throws FlameError `machine-key`.
 */
export function openCloneKey(place: CloneAndEnv): CloneKey {
  const file = keyFile(place);
  const given = givenKey(place);
  try {
    const privateKey = given ?? readOrMake(file);
    const key = publicKeyOf(privateKey);
    return { key, sign: (text) => ({ key, signature: signTextWithKey(privateKey, text) }) };
  } catch (cause) {
    throw new FlameError({
      kind: 'environment',
      code: 'machine-key',
      message:
        given === null
          ? `The key of this clone can't be read or made: ${file}.`
          : 'FLAME_MACHINE_KEY holds no ed25519 key as openssl writes one (PKCS #8 in PEM).',
      hints:
        given === null ? [`ls -l ${file}`, `To get a new one: rm ${file}`] : ['openssl genpkey -algorithm ed25519'],
      cause,
    });
  }
}

function keyFile({ env, commonDir }: CloneAndEnv): string {
  return join(cloneStateDir(env, commonDir), 'machine-key');
}

/** Name of this clone in claims and for machines: with its key, if it has one, so no other can act in its name. */
export function machineName(place: CloneAndEnv): string {
  const clone = cloneName(place.commonDir, place.env.FLAME_MACHINE_NAME);
  const hasKey = givenKey(place) !== null || existsSync(keyFile(place));
  return hasKey ? appendKeyFingerprint(clone, openCloneKey(place).key) : clone;
}

/** A key that outlives its clone, as a runner has that makes a clone for each job; null: none was given. */
function givenKey({ env }: Pick<CloneAndEnv, 'env'>): string | null {
  return env.FLAME_MACHINE_KEY === undefined || env.FLAME_MACHINE_KEY === '' ? null : env.FLAME_MACHINE_KEY;
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
