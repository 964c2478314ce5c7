import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { Task } from '../../domain/state/task.ts';
import { shortId } from '../../util/short-names.ts';
import type { WithGit, Workshop } from '../workshop.ts';

/** Says of which tasks a person moved the branch since the work was accepted: what was judged lands, not what they made. */
export async function tellAmended(
  { git, events }: Pick<Workshop, 'events'> & WithGit<Pick<GitCommits, 'resolveCommit'>>,
  tasks: readonly Task[],
): Promise<void> {
  await Promise.all(
    tasks.map(async ({ id, branch, commit }) => {
      if (branch === null || commit === null) return;
      const tip = await git.resolveCommit(`refs/heads/${branch}`);
      if (tip === null || tip === commit) return;
      events.emit({
        event: 'notice',
        level: 'warning',
        message: `The branch of ${id} was moved to ${shortId(tip)} since its work was accepted: ${shortId(commit)} is what was judged, is shown and lands.`,
        details: [
          `What differs: git diff ${shortId(commit)} ${shortId(tip)}`,
          `To have the other judged: reject it, git flame task claim ${id}, git flame task submit ${id} --commit ${shortId(tip)}`,
        ],
      });
    }),
  );
}
