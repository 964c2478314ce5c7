import { refusedError } from '../../domain/flame-error.ts';
import { type ObjectId, objectIdPattern, parseRefName, type RefName } from '../../domain/ids.ts';
import type { CellSubject, Rescue } from '../../domain/ports/git-cells.ts';
import type { CommitInfo, GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitRefs, RefInfo } from '../../domain/ports/git-port.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { RunContext, WithGit } from '../run-context.ts';

/** Prefix of rescue refs; `<session>/<task>/<n>` follows. */
const rescuePrefix = 'refs/blueflame/rescue/';

type Ports = WithGit<GitRefs> & Pick<RunContext, 'store'> & { readonly gates: Pick<RunContext['gates'], 'person'> };

/** Keeps a commit under the next free number of its task; one that is kept there already keeps its ref. */
export async function keepCommitAsRescue(ports: Ports, subject: CellSubject, commit: ObjectId): Promise<RefName> {
  const prefix = `${rescuePrefix}${subject.session}/${subject.task}/`;
  for (;;) {
    const refs = await ports.git.listRefs(prefix);
    const known = refs.find((ref) => ref.commit === commit);
    if (known !== undefined) return known.ref;
    const numbers = refs.map(({ ref }) => Number(ref.slice(prefix.length)) || 0);
    const ref = parseRefName(`${prefix}${Math.max(0, ...numbers) + 1}`);
    const moved = await ports.store.transact(() => ({
      changes: [],
      refs: [{ ref, old: null, new: commit }],
      actor: ports.gates.person,
    }));
    if (moved.kind === 'done') return ref;
  }
}

/** Keeps what a task's branch holds before it is moved to something else: an attempt that was sent back. */
export async function rescueFormerBranchTip(
  ports: Ports & WithGit<GitCommits>,
  subject: CellSubject,
  { old, tip }: { readonly old: ObjectId | null; readonly tip: ObjectId },
): Promise<void> {
  if (old === null || old === tip || (await ports.git.isAncestor(old, tip))) return;
  await keepCommitAsRescue(ports, subject, old);
}

/** `<session>/<task>/<n>` of a rescue ref. */
export function rescueName(ref: RefName): string {
  return ref.slice(rescuePrefix.length);
}

/**
 * The rescue a person means: its whole name, or a part of it that is clear; of one task the latest. Throws
 * FlameError `no-rescue` or `rescue-unclear`.
 */
export function findRescueByName<T extends Pick<Rescue, 'name'>>(rescues: readonly T[], name: string): T {
  const exact = rescues.find((rescue) => rescue.name === name || rescuePrefix + rescue.name === name);
  if (exact !== undefined) return exact;
  const matching = rescues.filter((rescue) => {
    const [session, task, number] = rescue.name.split('/');
    return [task, `${task}/${number}`, `${session}/${task}`, session].includes(name);
  });
  const tasks = new Set(matching.map((rescue) => rescue.name.replace(/\/\d+$/, '')));
  const latest = matching.toSorted((a, b) => numberOf(a.name) - numberOf(b.name)).at(-1);
  if (latest !== undefined && tasks.size === 1) return latest;
  throw refusedError(
    latest === undefined ? 'no-rescue' : 'rescue-unclear',
    latest === undefined
      ? `There is no rescue named ${JSON.stringify(name)}.`
      : `${JSON.stringify(name)} matches several rescues.`,
    ['git flame rescue list', ...matching.slice(0, 5).map((one) => `git flame rescue show ${one.name}`)],
  );
}

function numberOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('/') + 1)) || 0;
}

/** All rescues, by name. */
export async function listRescues(git: GitCommits & GitRefs): Promise<readonly Rescue[]> {
  const refs = await git.listRefs(rescuePrefix);
  return Promise.all(refs.map(async (ref) => toRescue(ref, await git.readCommit(ref.commit))));
}

/** Reads what rescueAndRemoveWorktree wrote; of a branch that was kept as it was there's only its own message. */
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

/** A rescue that may go; `isElsewhere`: all that is in it is on a branch its session landed on, too. */
export interface RemovableRescue {
  readonly rescue: Rescue;
  readonly isElsewhere: boolean;
  readonly why: string;
}

type HeldPorts = Pick<RunContext, 'git' | 'now' | 'config'>;

/**
 * Rescues that nothing is lost with, and those older than `retention.rescues`, oldest first; none of a session
 * that is still open.
 */
export async function listRemovableRescues(ports: HeldPorts, snapshot: Snapshot): Promise<readonly RemovableRescue[]> {
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
    return [{ rescue, at, isElsewhere: false, why: `kept on ${day}, and held by no branch` }];
  });
  return (await Promise.all(found)).flat().sort((a, b) => a.at - b.at);
}

/** The branch that holds what the rescue changes, as it changes it; null: none does. */
async function holderOf({ git }: HeldPorts, session: Session, { start, commit }: Rescue): Promise<string | null> {
  for (const branch of new Set([findLandingBranch(session), session.base_branch])) {
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
