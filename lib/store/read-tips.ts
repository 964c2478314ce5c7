import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FlameError } from '../domain/flame-error.ts';
import type { ObjectId, RefName } from '../domain/ids.ts';
import type { CatFile, GitObject } from '../git/cat-file.ts';
import { stateBusy, stateCorrupt } from './store-errors.ts';

/**
 * Where refs stand, all at one moment: two readings in a row that agree. Throws FlameError `state-corrupt` for one
 * that's broken or holds something else than a commit: that must never look like an empty state.
 */
export async function readTips(
  catFile: CatFile,
  commonDir: string,
  refs: readonly RefName[],
): Promise<ReadonlyMap<RefName, ObjectId | null>> {
  for (let tries = 0; ; tries += 1) {
    const read = () => refs.map((ref) => catFile.info(ref));
    const answers = await Promise.all([...read(), ...read()]);
    const [first, second] = [answers.slice(0, refs.length), answers.slice(refs.length)];
    const isSteady = first.every((answer, at) => answer?.oid === second[at]?.oid);
    const problem = findProblem(commonDir, refs, second);
    if (isSteady && problem === null) {
      return new Map(refs.map((ref, at) => [ref, second[at]?.oid ?? null]));
    }
    // A ref made between the question and the look into git's files is no problem the next time.
    if (tries >= 3 && problem !== null) throw problem;
    if (tries >= 50) throw stateBusy();
  }
}

function findProblem(
  commonDir: string,
  refs: readonly RefName[],
  answers: readonly (GitObject | null)[],
): FlameError | null {
  for (const [at, ref] of refs.entries()) {
    const answer = answers[at] ?? null;
    if (answer !== null && answer.type !== 'commit') {
      return stateCorrupt(ref, answer.oid, `is a ${answer.type}, not a commit`);
    }
    // git says `missing` for an absent ref and for a broken one alike.
    const recorded = answer === null ? recordedValue(commonDir, ref) : null;
    if (recorded !== null) return stateCorrupt(ref, recorded, 'is not an object git can find');
  }
  return null;
}

/** What git's files hold for a ref; null if it's in none. */
function recordedValue(commonDir: string, ref: RefName): string | null {
  const path = join(commonDir, ref);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) {
    return readFileSync(path, 'latin1').trim().slice(0, 100) || 'an empty file';
  }
  return packedRefs(commonDir).get(ref) ?? null;
}

interface PackedRefs {
  readonly stamp: string;
  readonly values: ReadonlyMap<string, string>;
}

const packedByDir = new Map<string, PackedRefs>();

/** The state refs in packed-refs, read again when the file has changed. */
function packedRefs(commonDir: string): ReadonlyMap<string, string> {
  const path = join(commonDir, 'packed-refs');
  const stat = statSync(path, { throwIfNoEntry: false });
  const stamp = stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
  const known = packedByDir.get(commonDir);
  if (known?.stamp === stamp) return known.values;
  const text = stat === undefined ? '' : readFileSync(path, 'latin1');
  const rows = [...text.matchAll(/^([0-9a-f]+) (refs\/blueflame\/\S+)$/gm)];
  const values = new Map(rows.map(([, oid = '', ref = '']) => [ref, oid]));
  packedByDir.set(commonDir, { stamp, values });
  return values;
}
