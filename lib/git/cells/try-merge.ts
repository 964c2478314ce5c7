import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import type { ChangedPaths, PlacedCommit, Trial } from '../../domain/ports/git-commits.ts';
import { isMissing } from '../../util/read-file.ts';
import { removeTree } from '../../util/remove-tree.ts';
import {
  type GitAccess,
  onObjects,
  quarantineVariables,
  whereThePersonIs,
  withVariables,
} from '../objects/git-access.ts';
import { mergeTree } from '../objects/merge-tree.ts';
import { requireGoing } from '../process/limit-git.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { trialFolder, trialLimits } from './trial.ts';
import { refuseOddEntries } from './verify-objects.ts';

/** See GitTrials. By the attributes in the person's work tree, as the merge itself will be. */
export async function tryMerge(
  access: GitAccess,
  [one, other]: readonly [PlacedCommit, PlacedCommit],
  signal: AbortSignal,
): Promise<Trial> {
  if (one.commit === other.commit) return { kind: 'clean' };
  const objectDir = trialFolder(access.repository.commonDir);
  try {
    const here = withVariables(whereThePersonIs(access), await access.inertDrivers());
    const context = reading(access, here, { objectDir, commits: [one, other], signal });
    const merged = await mergeTree(context, one.commit, other.commit);
    return merged.kind === 'clean' ? { kind: 'clean' } : { kind: 'conflict', paths: merged.paths };
  } catch (error) {
    if (error instanceof FlameError && error.code === 'unrelated-histories') return { kind: 'unrelated' };
    throw error;
  } finally {
    await removeTree(objectDir);
  }
}

/** See GitTrials. */
export async function pathsChanged(
  access: GitAccess,
  { from, to }: { readonly from: ObjectId; readonly to: PlacedCommit },
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<ChangedPaths | null> {
  if (from === to.commit) return { paths: [], removes: false };
  const objectDir = join(access.repository.commonDir, 'objects');
  const context = reading(access, onObjects(access), { objectDir, commits: [to], signal });
  const args = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', '--no-ext-diff', from, to.commit];
  const { stdout } = await runGit(context, args);
  const tokens = stdout.toString().split('\0').slice(0, -1);
  const paths = tokens.filter((_, index) => index % 2 === 1);
  const removes = tokens.some((token, index) => index % 2 === 0 && token === 'D');
  return paths.length > most ? null : { paths, removes };
}

/** None where its cell ended meanwhile: what was accepted from there is in the repository. */
function standing(quarantine: Quarantine | null): readonly string[] {
  if (quarantine === null) return [];
  try {
    refuseOddEntries(quarantine.objectDir);
    return [quarantine.objectDir];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** git that reads quarantines behind the repository, within limits, and fetches nothing an agent named. */
function reading(
  { repository }: GitAccess,
  context: GitContext,
  asked: {
    readonly objectDir: string;
    readonly commits: readonly PlacedCommit[];
    readonly signal: AbortSignal;
  },
): GitContext {
  const { objectDir, commits, signal } = asked;
  requireGoing({ stopped: signal });
  const quarantines = commits.flatMap(({ quarantine }) => standing(quarantine));
  const alternates = [join(repository.commonDir, 'objects'), ...quarantines];
  const variables = { ...quarantineVariables({ objectDir, alternates }), GIT_NO_LAZY_FETCH: '1' };
  return { ...withVariables(context, variables), guard: { limits: trialLimits, stopped: signal } };
}
