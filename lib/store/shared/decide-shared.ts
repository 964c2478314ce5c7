import type { StoreParts } from '../store-options.ts';
import type { CommitIdentity } from '../write/commit-identity.ts';
import { type Caller, decideRound, type Round } from '../write/decide-round.ts';
import { isShared, type RemoteExchange } from './remote-exchange.ts';

interface Deciding {
  readonly parts: StoreParts;
  readonly exchange: RemoteExchange;
  readonly identity: CommitIdentity;
  /** Callers that wait; those whose branch moved are answered, and removed. */
  readonly open: Set<Caller>;
}

/** Decides all waiting changes on the newest state. A landing goes alone: its refusal must not refuse the rest. */
export async function decideShared({ parts, exchange, identity, open }: Deciding): Promise<Round> {
  for (;;) {
    const base = await parts.reader.read();
    const callers = [...open];
    // Other machines wait too, and only the remote orders these.
    const context = { ...parts, identity, waiting: 0 };
    const all = decideRound(base, callers, context);
    const landing = [...all.owners.values()].find(({ update }) => isShared(update))?.caller;
    const others = callers.filter((caller) => caller !== landing);
    const alone = landing === undefined ? callers : others.length > 0 ? others : [landing];
    const round = alone === callers ? all : decideRound(base, alone, context);
    const moved = await exchange.movedRefs(round);
    if (moved.size === 0) return round;
    for (const { caller, update } of round.owners.values()) {
      if (!moved.has(update.ref) || !open.delete(caller)) continue;
      const actual = moved.get(update.ref) ?? null;
      caller.resolve({ kind: 'ref-moved', ref: update.ref, expected: update.old, actual });
    }
  }
}
