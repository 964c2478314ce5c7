import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, objectIdPattern, type RefName } from '../../domain/ids.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { GitObject } from '../../git/process/cat-file-response.ts';
import { type GitContext, runGitForLines, runGitForText } from '../../git/process/run-git.ts';
import { findReftable } from '../../git/refs/reftable.ts';
import { isMissingFileError } from '../../util/read-file.ts';
import { stateBusy, stateCorrupt } from '../store-errors.ts';

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
    const recorded = answer === null ? await readRefValueFromGit(place, ref) : null;
    if (recorded !== null) return stateCorrupt(ref, recorded, 'is not an object git can find');
  }
  return null;
}

/** Refs below any of these prefixes. */
export async function listRefs(
  context: GitContext,
  ...prefixes: readonly string[]
): Promise<ReadonlyMap<RefName, ObjectId>> {
  const rows = await runGitForLines(context, ['for-each-ref', '--format=%(objectname) %(refname)', ...prefixes]);
  return new Map(
    rows.map((row): [RefName, ObjectId] => {
      const space = row.indexOf(' ');
      return [row.slice(space + 1) as RefName, row.slice(0, space) as ObjectId];
    }),
  );
}

/** The repository whose refs are asked for. */
interface RefPlace {
  readonly context: GitContext;
  readonly commonDir: string;
}

/** Reads the value git keeps for a state ref, even if it leads to no object; null if there is none. */
export async function readRefValueFromGit(place: RefPlace, ref: RefName): Promise<string | null> {
  return readRefFileText(place.commonDir, ref) ?? (await sharedValues(place)).get(ref) ?? null;
}

/** Reads the ref's own file; null if it has none. */
export function readRefFileText(commonDir: string, ref: RefName): string | null {
  const path = join(commonDir, ref);
  try {
    if (!statSync(path).isFile()) return null;
  } catch (error) {
    // Also where a ref of the person's has the name of a folder on the way.
    if (isMissingFileError(error)) return null;
    throw error;
  }
  return readFileSync(path, 'latin1').trim().slice(0, 100) || 'an empty file';
}

const reflogsLooked = 200;

/** Lists former values of a ref, newest first. */
export async function listFormerRefValues(place: RefPlace, ref: RefName): Promise<readonly ObjectId[]> {
  const ids =
    findReftable(place.commonDir) === null
      ? idsOfLog(join(place.commonDir, 'logs', ref))
      : await idsOfReftable(place, ref);
  return [...new Set(ids)].filter((id) => objectIdPattern.test(id) && /[^0]/.test(id)) as ObjectId[];
}

function idsOfLog(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'latin1').trimEnd().split('\n').slice(-reflogsLooked);
  return lines.reverse().flatMap((line) => line.split(' ', 2).reverse());
}

/** git answers up to the first one there is not; `git reflog` would want the objects. */
function idsOfReftable(place: RefPlace, ref: RefName): Promise<readonly string[]> {
  const names = Array.from({ length: reflogsLooked }, (_, back) => `${ref}@{${back}}`);
  return runGitForLines(atPlace(place), ['rev-parse', ...names], { accept: [0, 128] });
}

interface SharedValues {
  readonly stamp: string;
  readonly values: ReadonlyMap<string, string>;
}

// By folder, not by store: `doctor --repair` and the store each ask, and the stamp says whether it still holds.
const sharedByDir = new Map<string, SharedValues>();

/** The state refs in packed-refs or the reftable, read again when the file has changed. */
async function sharedValues(place: RefPlace): Promise<ReadonlyMap<string, string>> {
  const { commonDir } = place;
  const table = findReftable(commonDir);
  const path = table ?? join(commonDir, 'packed-refs');
  const stat = statSync(path, { throwIfNoEntry: false });
  const stamp = stat === undefined ? '' : `${path} ${stat.ino} ${stat.mtimeMs} ${stat.size}`;
  const known = sharedByDir.get(commonDir);
  if (known?.stamp === stamp) return known.values;
  const readPacked = (): string => (stat?.isFile() === true ? readFileSync(path, 'latin1') : '');
  const text = table === null ? readPacked() : await listed(place);
  const rows = [...text.matchAll(/^([0-9a-f]+) (refs\/blueflame\/\S+)$/gm)];
  const values = new Map(rows.map(([, oid = '', ref = '']) => [ref, oid]));
  sharedByDir.set(commonDir, { stamp, values });
  return values;
}

/** Asked for no more than these, git opens no object. */
function listed(place: RefPlace): Promise<string> {
  return runGitForText(atPlace(place), ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/blueflame/']);
}

function atPlace({ context, commonDir }: RefPlace): GitContext {
  return { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
}
