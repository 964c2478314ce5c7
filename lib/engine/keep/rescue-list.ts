import { type ObjectId, objectIdPattern } from '../../domain/ids.ts';
import type { Rescue } from '../../domain/ports/git-cells.ts';
import type { CommitInfo, GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitRefs, RefInfo } from '../../domain/ports/git-port.ts';
import { rescueName, rescuePrefix } from './rescue-refs.ts';

/** All rescues, by name. */
export async function listRescues(git: GitCommits & GitRefs): Promise<readonly Rescue[]> {
  const refs = await git.listRefs(rescuePrefix);
  return Promise.all(refs.map(async (ref) => toRescue(ref, await git.readCommit(ref.commit))));
}

/** Reads what putAway wrote; of a branch that was kept as it was there's only its own message. */
function toRescue({ ref, commit }: RefInfo, { message, parents }: CommitInfo): Rescue {
  const isOurs = message.startsWith('rescue: ');
  const [subject = '', ...rest] = message.split('\n');
  const trailer = (key: string): string | null =>
    isOurs ? (new RegExp(`^${key}: (.+)$`, 'm').exec(message)?.[1] ?? null) : null;
  const start = trailer('Start') ?? '';
  return {
    name: rescueName(ref),
    ref,
    commit,
    start: objectIdPattern.test(start) ? (start as ObjectId) : (parents[0] ?? null),
    agent: trailer('Agent'),
    at: trailer('Rescued-At'),
    why: isOurs ? (rest.find((line) => line !== '') ?? '') : subject,
  };
}
