import type { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId, RefName } from '../../domain/ids.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { GitObject } from '../../git/process/cat-file-answer.ts';
import { stateBusy, stateCorrupt } from '../store-errors.ts';
import { type RefPlace, recordedValue } from './recorded-refs.ts';

/**
 * Reads the tips of refs, all at one moment: two readings in a row that agree. Throws FlameError `state-corrupt` for
 * one that's broken or holds something else than a commit: that must never look like an empty state.
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
    const problem = await findProblem({ context: catFile.context, commonDir }, refs, second);
    if (isSteady && problem === null) {
      return new Map(refs.map((ref, at) => [ref, second[at]?.oid ?? null]));
    }
    // A ref made between the question and the look into git's files is no problem the next time.
    if (tries >= 3 && problem !== null) throw problem;
    if (tries >= 50) throw stateBusy();
  }
}

async function findProblem(
  place: RefPlace,
  refs: readonly RefName[],
  answers: readonly (GitObject | null)[],
): Promise<FlameError | null> {
  for (const [at, ref] of refs.entries()) {
    const answer = answers[at] ?? null;
    if (answer !== null && answer.type !== 'commit') {
      return stateCorrupt(ref, answer.oid, `is a ${answer.type}, not a commit`);
    }
    // git says `missing` for an absent ref and for a broken one alike.
    const recorded = answer === null ? await recordedValue(place, ref) : null;
    if (recorded !== null) return stateCorrupt(ref, recorded, 'is not an object git can find');
  }
  return null;
}
