import type { GitCommits, GitMerging, MergeResult } from '../domain/ports/git-commits.ts';
import { commitGraph } from './objects/commit-graph.ts';
import { commitTree, isSigning, signCommit } from './objects/commit-tree.ts';
import { type GitAccess, onObjects, whereThePersonIs, withVariables } from './objects/git-access.ts';
import { mergeTree } from './objects/merge-tree.ts';
import { readCommit, readCommitsBetween } from './objects/read-commits.ts';
import { replay } from './objects/replay.ts';
import { replaceTexts, transplant } from './objects/transplant.ts';
import { mergeDrivers, withUnrunDrivers } from './objects/unrun-drivers.ts';
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
