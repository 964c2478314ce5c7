import { listNewProposals, listPartsBySigner, listProposalsBySession } from '../../core/admission/list-proposals.ts';
import { isClaimedByPerson, nameTaskHolder } from '../../core/schedule/claimable-tasks.ts';
import { isClaimedByHand } from '../../core/schedule/next-action.ts';
import type { Snapshot, Store, UnusableNote } from '../../domain/ports/store-port.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import type { Proposals } from '../../domain/view-models/status-view.ts';
import type { SyncResult } from '../../store/sync/sync-state.ts';
import { machineName } from '../../trust/clone-key.ts';
import { renderIncomingChanges, renderSyncReport } from '../../ui/render/render-sync.ts';
import {
  renderReceivedProposals,
  renderSettledCompletions,
  renderSignedDecisions,
  renderUnverifiedCompletions,
} from '../../ui/render/render-unverified.ts';
import { cloneName } from '../../util/machine-key.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { readTrustConfig, type TrustedDecisions } from '../context/trust-signed.ts';
import { isDecidableSession, readTrustedDecisions } from '../context/with-trusted-decisions.ts';
import type { RestoredAndAccepted } from './restore-and-accept.ts';

interface Synced {
  readonly remote: string;
  readonly result: SyncResult;
}

interface Reported extends Synced {
  readonly before: TrustAndProposals;
  readonly after: TrustAndProposals;
  /** Results of --restore and --accept, each time. */
  readonly settled: readonly RestoredAndAccepted[];
}

/** Reports what was shared, what came in, and which proposals wait for a decision. */
export async function reportSync(
  { globals: { dryRun, quiet } }: Pick<CommandArgs<'sync'>, 'globals'>,
  { store, output }: ReadContext,
  { remote, result, before, after, settled }: Reported,
): Promise<void> {
  const proposals = listNewProposals(before.proposals, after.proposals);
  const signed = listNewProposals(before.signed, after.signed);
  const { unverified: doubts } = await store.snapshot();
  const restored = [...new Set(settled.flatMap((one) => one.restored))];
  const accepted = [...new Set(settled.flatMap((one) => one.accepted))];
  output.json({
    dry_run: dryRun,
    ...result,
    proposals: Object.fromEntries(proposals),
    signed: Object.fromEntries(signed),
    refused_signatures: after.refused,
    restored,
    accepted,
    doubts,
  });
  const changes = renderIncomingChanges(result.changes, output.style);
  const ends = [
    ...renderSettledCompletions({ restored, accepted }),
    ...renderUnverifiedCompletions(doubts, output.style),
  ];
  const received = [...renderSignedDecisions(signed), ...renderReceivedProposals([...proposals.values()], remote)];
  if (!quiet) output.result([...renderSyncReport(result, dryRun), ...changes, ...received, ...ends].join('\n'));
}

interface Warned extends Synced {
  /** Notes that could not be read before. */
  readonly problems: readonly UnusableNote[];
  /** Tasks this person had claimed before. */
  readonly held: readonly Task[];
}

/** Names what could not be shared, read or kept. */
export async function warnOfSync(
  { store, output }: ReadContext,
  { remote, result, problems, held }: Warned,
): Promise<void> {
  for (const { ref, object, message } of result.damage)
    output.warn(`${ref} ${object} ${message}; to repair it: git flame doctor --repair`);
  for (const { ref, message } of result.unreadable) {
    output.warn(`${ref} of ${remote} was skipped, the rest is shared: ${message}`);
    output.hint(`delete it there, and the next sync sends yours: git push ${shellQuote(remote)} :${shellQuote(ref)}`);
  }
  for (const { ref, object, message } of await damagedBy(store, problems))
    output.warn(
      `A note from ${remote} is damaged: ${ref} ${object} ${message}; to repair it: git flame doctor --repair`,
    );
  for (const { note, what, kept, lost } of result.conflicts) output.warn(`${note}: ${what}: kept ${kept}, not ${lost}`);
  for (const lost of await describeLostClaims(store, held)) output.warn(lost);
  const { unknown } = result.commits;
  if (unknown.length > 0) output.warn(`${unknown.length} commits that tasks name are missing here and on ${remote}.`);
}

/** Finds notes that can't be read any more. */
async function damagedBy(store: Store, before: readonly UnusableNote[]): Promise<readonly UnusableNote[]> {
  const known = new Set(before.map(({ ref, object, key }) => `${ref} ${object} ${key}`));
  return (await store.snapshot()).problems.filter(({ ref, object, key }) => !known.has(`${ref} ${object} ${key}`));
}

/** The tasks this person claimed by hand in this clone. */
export async function listOwnClaimedTasks(
  { git, store }: Pick<ReadContext, 'git' | 'store'>,
  { env }: Pick<Io, 'env'>,
): Promise<readonly Task[]> {
  const tasks = await allTasks(store);
  if (!tasks.some(isClaimedByHand)) return [];
  const person = await git.identity().catch(() => null);
  const { commonDir } = git.repository;
  // It may have been claimed before this clone had a key.
  const places: readonly (string | null)[] = [cloneName(commonDir), machineName({ env, commonDir })];
  return tasks.filter(
    (task) => person !== null && isClaimedByPerson(task, person) && places.includes(task.claimed_host),
  );
}

/** Lines about claims that another clone has now: two clones claimed the same, and one was first. */
async function describeLostClaims(store: Store, held: readonly Task[]): Promise<readonly string[]> {
  if (held.length === 0) return [];
  const tasks = await allTasks(store);
  return held.flatMap(({ id, session, claimed_by, claimed_host, worktree }) => {
    const now = tasks.find((task) => task.id === id && task.session === session);
    if (now === undefined || now.status !== 'claimed') return [];
    const isSame = now.claimed_by === claimed_by && now.claimed_host === claimed_host;
    if (isSame && now.agent_id === null) return [];
    const left = worktree === null ? '' : `; your files stay in ${worktree}`;
    return [`${id} is no longer yours: ${nameTaskHolder(now)} claimed it first${left}`];
  });
}

async function allTasks(store: Store): Promise<readonly Task[]> {
  const snapshot = await store.snapshot();
  return snapshot.sessions.flatMap(({ id }) => snapshot.tasksOf(id));
}

/** Trusted decisions, and proposals that wait for a decision. */
interface TrustAndProposals extends TrustedDecisions {
  /** Proposals that wait for this clone's person, by session. */
  readonly proposals: ReadonlyMap<string, Proposals>;
  /** Decisions that count because they are signed, by session and person. */
  readonly signed: ReadonlyMap<string, Proposals>;
}

export async function readTrustAndProposals(io: Io, reading: ReadContext): Promise<TrustAndProposals> {
  const { decided, withdrawn, refused } = await readTrustedDecisions(io, reading);
  const snapshot = await reading.store.snapshot();
  return {
    decided,
    withdrawn,
    refused,
    proposals: listProposalsBySession(snapshot),
    signed: signedIn(snapshot, decided),
  };
}

function signedIn(snapshot: Snapshot, decided: DecisionLog): ReadonlyMap<string, Proposals> {
  decided.refresh();
  const entries = snapshot.sessions
    .filter(isDecidableSession)
    .flatMap((session) =>
      [...listPartsBySigner(session, snapshot, (decision) => decided.signedBy(decision))].map(
        ([by, listed]) => [`${session.id} ${by}`, listed] as const,
      ),
    );
  return new Map(entries);
}

/** Says why signatures don't count, and why nothing is signed although the configuration asks for it. */
export async function warnOfRefusedSignatures(
  io: Io,
  { git, configFile, output, refused }: ReadContext & Pick<TrustAndProposals, 'refused'>,
): Promise<void> {
  for (const { session, by, why } of refused) output.warn(`${session}: the signature of ${by} does not count: ${why}.`);
  const { trust, problem } = await readTrustConfig(io, { git, configFile });
  if (problem === null) return;
  if (trust === null) {
    output.warn(`Nothing was signed, and no signature counts: ${problem}`);
    output.hint('git flame config');
  } else {
    output.warn(`trust.sign and trust.signers had no effect: ${problem}.`);
    output.hint('git flame trust');
  }
}
