import { allProposals, listSigned } from '../../core/admission/list-proposals.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { Proposals } from '../../domain/shown/status.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import { type Counting, readTrust } from '../open/count-signed.ts';
import type { Reading } from '../open/read-state.ts';
import { isOpen, readCounting } from '../open/signed-decisions.ts';

/** Trusted decisions, and proposals that wait for a decision. */
export interface Heard extends Counting {
  /** Proposals that wait for this clone's person, by session. */
  readonly proposals: ReadonlyMap<string, Proposals>;
  /** Decisions that count because they are signed, by session and person. */
  readonly signed: ReadonlyMap<string, Proposals>;
}

export async function readHeard(io: Io, reading: Reading): Promise<Heard> {
  const { decided, withdrawn, refused } = await readCounting(io, reading);
  const snapshot = await reading.store.snapshot();
  return {
    decided,
    withdrawn,
    refused,
    proposals: allProposals(snapshot),
    signed: signedIn(snapshot, decided),
  };
}

function signedIn(snapshot: Snapshot, decided: DecisionLog): ReadonlyMap<string, Proposals> {
  decided.refresh();
  const entries = snapshot.sessions
    .filter(isOpen)
    .flatMap((session) =>
      [...listSigned(session, snapshot, (decision) => decided.signedBy(decision))].map(
        ([by, listed]) => [`${session.id} ${by}`, listed] as const,
      ),
    );
  return new Map(entries);
}

/** Says why signatures don't count, and why nothing is signed although the configuration asks for it. */
export async function warnOfTrust(
  io: Io,
  { git, configFile, output, refused }: Reading & Pick<Heard, 'refused'>,
): Promise<void> {
  for (const { session, by, why } of refused)
    output.warn(`${session}: what ${by} is said to have signed does not count: ${why}.`);
  const { trust, problem } = await readTrust(io, { git, configFile });
  if (problem === null) return;
  if (trust === null) {
    output.warn(`Nothing is signed and no signature counts: ${problem}`);
    output.hint('git flame config');
  } else {
    output.warn(`trust.sign and trust.signers had no effect: ${problem}.`);
    output.hint('git flame trust');
  }
}
