import type { GitTrials } from '../domain/ports/git-trials.ts';
import { pathsChanged, tryMerge } from './cells/try-merge.ts';
import type { GitAccess } from './objects/git-access.ts';
import { restingTip } from './worktrees/resting-tip.ts';

export function openTrials(access: GitAccess): GitTrials {
  return {
    tryMerge: (one, other, signal) => tryMerge(access, [one, other], signal),
    pathsChanged: (from, to, options) => pathsChanged(access, { from, to }, options),
    restingTip: (workTree, branch) => restingTip(access, workTree, branch),
  };
}
