import type { Rescue } from '../../domain/ports/git-cells.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Session } from '../../domain/state/session.ts';
import { landsOn } from '../../domain/state/session-facts.ts';
import type { Workshop } from '../workshop.ts';
import { listRescues } from './rescue-list.ts';

/** A rescue that may go; `isElsewhere`: all that is in it is on a branch its session landed on, too. */
export interface OldRescue {
  readonly rescue: Rescue;
  readonly isElsewhere: boolean;
  readonly why: string;
}

type HeldPorts = Pick<Workshop, 'git' | 'now' | 'config'>;

/**
 * Rescues that nothing is lost with, and those older than `retention.rescues`, oldest first; none of a session
 * that is still open.
 */
export async function oldRescues(ports: HeldPorts, snapshot: Snapshot): Promise<readonly OldRescue[]> {
  const until = ports.now().getTime() - ports.config.retention.rescues;
  const found = (await listRescues(ports.git)).map(async (rescue) => {
    const id = rescue.name.split('/')[0];
    const session = snapshot.sessions.find((one) => one.id === id) ?? null;
    if (session !== null && session.state !== 'ended') return [];
    const holder = session === null ? null : await holderOf(ports, session, rescue);
    const at = await keptAt(ports, session, rescue);
    if (holder !== null) return [{ rescue, at, isElsewhere: true, why: `all of it is on ${holder}` }];
    if (!(at < until)) return [];
    const day = new Date(at).toISOString().slice(0, 10);
    return [{ rescue, at, isElsewhere: false, why: `kept on ${day}, and nowhere else` }];
  });
  return (await Promise.all(found)).flat().sort((a, b) => a.at - b.at);
}

/** The branch that holds what the rescue changes, as it changes it; null: none does. */
async function holderOf(
  { git }: HeldPorts,
  session: Session,
  { start, commit }: Rescue,
): Promise<string | null> {
  for (const branch of new Set([landsOn(session), session.base_branch])) {
    const tip = await git.resolveCommit(`refs/heads/${branch}`);
    if (tip === null) continue;
    if (await git.isAncestor(commit, tip)) return branch;
    if (start === null) continue;
    const [own, others] = [await git.treeChanges(start, commit), await git.treeChanges(commit, tip)];
    const differing = new Set(others.map(({ path }) => path));
    if (own.every(({ path }) => !differing.has(path))) return branch;
  }
  return null;
}

/**
 * When it was put away, in ms. A branch that was kept as it was has no such time: no earlier than its last commit
 * was made and its session was last written. NaN where no time is known: it is never old then.
 */
async function keptAt({ git }: HeldPorts, session: Session | null, { at, commit }: Rescue): Promise<number> {
  if (at !== null) return Date.parse(at);
  const { committed } = await git.readCommit(commit);
  return Math.max(committed * 1_000, Date.parse(session?.updated_at ?? ''));
}
