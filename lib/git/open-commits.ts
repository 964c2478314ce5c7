import type { GitCommits, GitMerging, MergeResult } from '../domain/ports/git-commits.ts';
import { showName } from '../util/file-names.ts';
import { commitGraph } from './objects/commit-graph.ts';
import { commitTree, isSigning, signCommit } from './objects/commit-tree.ts';
import { type GitAccess, onObjects, whereThePersonIs, withVariables } from './objects/git-access.ts';
import { mergeTree } from './objects/merge-tree.ts';
import { readCommit, readCommitsBetween } from './objects/read-commits.ts';
import { replay } from './objects/replay.ts';
import { replaceTexts, transplant } from './objects/transplant.ts';
import { readAttribute } from './process/read-attribute.ts';
import type { GitContext } from './process/run-git.ts';
import type { ReadObjects } from './read-objects.ts';
import { resolveCommit } from './refs/head-state.ts';

export function openCommits(access: GitAccess, reading: ReadObjects): GitCommits {
  return {
    ...commitGraph(onObjects(access)),
    resolveCommit: (revision) => resolveCommit(whereThePersonIs(access), revision, access),
    readCommit: async (commit, quarantine) => readCommit(...(await reading(commit, quarantine)), commit),
    commitsBetween: async (base, tip, quarantine) =>
      readCommitsBetween(...(await reading(tip, quarantine)), base, tip),
  };
}

export function openMerging(access: GitAccess): GitMerging {
  const here = whereThePersonIs(access);
  // Asked once, as whose name it is.
  let asked: Promise<boolean> | undefined;
  const signs = (): Promise<boolean> => (asked ??= isSigning(here));
  const merging = async (merge: (context: GitContext) => Promise<MergeResult>): Promise<MergeResult> => {
    const inert = await access.inertDrivers();
    return withUnrunDrivers(here, inert, await merge(withVariables(here, inert)));
  };
  return {
    // In the person's work tree, for the merge attributes checked out there, such as union for a changelog.
    mergeTree: (ours, theirs) => merging((context) => mergeTree(context, ours, theirs)),
    mergeDrivers: async () => mergeDrivers(await access.inertDrivers()),
    replay: (onto, start, tip) => merging((context) => replay(access, context, { onto, start, tip })),
    transplant: async (onto, start, tip) =>
      transplant(access, withVariables(here, await access.inertDrivers()), { onto, start, tip }),
    replaceTexts: (commit, texts) => replaceTexts(access, commit, texts),
    commitTree: (init) => commitTree(access, here, init),
    commitSigned: async (init) =>
      (await signs()) ? signCommit(access, here, init) : commitTree(access, here, init),
  };
}

/** The merge drivers among the keys of inertDrivers. */
function mergeDrivers(inert: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(inert).flatMap(([name, key]) => {
    const [, driver] = (name.startsWith('GIT_CONFIG_KEY_') && /^merge\.(.+)\.driver$/.exec(key)) || [];
    return driver === undefined ? [] : [driver];
  });
}

/** A conflict that also names the files for which `git merge` would have run a driver of the person's configuration. */
async function withUnrunDrivers(
  context: GitContext,
  inert: Readonly<Record<string, string>>,
  result: MergeResult,
): Promise<MergeResult> {
  const drivers = mergeDrivers(inert);
  if (result.kind === 'clean' || drivers.length === 0) return result;
  const values = await readAttribute(context, 'merge', { paths: result.paths });
  const unrun = result.paths.flatMap((path, index) => {
    const driver = values[index] ?? '';
    if (!drivers.includes(driver)) return [];
    return [
      `${showName(path)}: git merge would run your merge driver ${driver}. It does not run on the work of agents.`,
    ];
  });
  return { ...result, messages: [...result.messages, ...unrun] };
}
