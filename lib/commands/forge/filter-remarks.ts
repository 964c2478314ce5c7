import { boundText, oneLine } from '../../core/task/one-line.ts';
import type { Config } from '../../domain/config/config.ts';
import type { Remark, RemarkPlace } from '../../domain/state/pull-request.ts';

/** Settings that decide whose remarks go into a task. */
export type Listening = Pick<Config['pull_requests'], 'comments_from' | 'commenters'>;

/** One remark, and its author's role at the host. */
export interface Said {
  readonly id: string;
  /** The name their account has; null: it is gone. */
  readonly login: string | null;
  readonly standing: 'owner' | 'member' | 'stranger';
  /** The host's own term for that. */
  readonly as: string;
  readonly body: string | null | undefined;
  readonly place: RemarkPlace | null;
}

/** Selects the remarks of authors who count; others are counted by author, and none of their text is passed on. */
export function filterRemarks(
  said: readonly Said[],
  listening: Listening,
): { readonly remarks: readonly Remark[]; readonly unheeded: readonly { by: string; count: number }[] } {
  const spoken = said.filter(({ body }) => (body ?? '').trim() !== '');
  const counts = new Map<string, number>();
  for (const one of spoken.filter((other) => !isHeard(other, listening))) {
    const by = `${nameOf(one)} (${one.as})`;
    counts.set(by, (counts.get(by) ?? 0) + 1);
  }
  return {
    remarks: spoken
      .filter((one) => isHeard(one, listening))
      .map((one) => ({
        id: one.id,
        by: nameOf(one),
        text: boundText(one.body ?? '', 2_000),
        place: one.place,
      })),
    unheeded: [...counts].map(([by, count]) => ({ by, count })),
  };
}

/** A listed commenter is heard in any case. */
function isHeard({ login, standing }: Said, { comments_from: from, commenters }: Listening): boolean {
  const name = login?.toLowerCase();
  if (commenters.some((listed) => listed.toLowerCase() === name)) return true;
  if (from === 'owners') return standing === 'owner';
  return from === 'members' && standing !== 'stranger';
}

function nameOf({ login }: Said): string {
  return oneLine(login ?? 'somebody who is gone', 60);
}

/** Whom a configuration has heard, as one says it. */
export function heardOnes({ comments_from: from, commenters }: Listening): string {
  const listed = commenters.length === 0 ? [] : ['those in pull_requests.commenters'];
  const standing = { members: ['members of the repository'], owners: ['its owners'], listed: [] }[from];
  const all = [...standing, ...listed];
  return all.length === 0 ? 'nobody (pull_requests.commenters is empty)' : all.join(' and ');
}
