import { FlameError } from '../../domain/flame-error.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { StoreParts } from '../store-options.ts';
import type { CommitIdentity } from '../write/audit-entry.ts';
import { type DecidedTransactions, decideTransactions, type PendingTransaction } from '../write/decide-transactions.ts';
import { isSharedRefUpdate, type RemoteExchange } from './remote-exchange.ts';

interface Deciding {
  readonly parts: StoreParts;
  readonly exchange: RemoteExchange;
  readonly identity: CommitIdentity;
  /** Callers that wait; those whose branch moved are answered, and removed. */
  readonly open: Set<PendingTransaction>;
}

/** Decides all waiting changes on the newest state. A landing goes alone: its refusal must not refuse the rest. */
export async function decideSharedTransactions({
  parts,
  exchange,
  identity,
  open,
}: Deciding): Promise<DecidedTransactions> {
  for (;;) {
    const base = await parts.reader.read();
    const callers = [...open];
    const context = { ...parts, identity };
    const all = decideTransactions(base, callers, context);
    const landing = [...all.owners.values()].find(({ update }) => isSharedRefUpdate(update))?.caller;
    const others = callers.filter((caller) => caller !== landing);
    const alone = landing === undefined ? callers : others.length > 0 ? others : [landing];
    const round = alone === callers ? all : decideTransactions(base, alone, context);
    const moved = await exchange.movedRefs(round);
    if (moved.size === 0) return round;
    for (const { caller, update } of round.owners.values()) {
      if (!moved.has(update.ref) || !open.delete(caller)) continue;
      const actual = moved.get(update.ref) ?? null;
      caller.resolve({ kind: 'ref-moved', ref: update.ref, expected: update.old, actual });
    }
  }
}

/** A step the remote didn't take: unlike after a sync, nothing of it is here either. */
export function explainRemoteRefusal(cause: unknown): unknown {
  if (!(cause instanceof FlameError) || cause.code !== 'remote-refuses-state') return cause;
  const { kind, code, data, lines: details } = cause;
  const { remote, ref, reason } = data;
  return new FlameError({
    kind,
    code,
    data,
    details,
    cause,
    message: `${remote} rejects ${ref}: ${reason}. The whole step was cancelled, there and here.`,
    hints: cause.hints.map((hint) => hint.replace('git flame sync REMOTE', 'git flame run --remote REMOTE')),
  });
}

/** A landing the remote didn't take: nothing landed there or here, and the approval stands. */
export function explainLandingRefusal(remote: string, ref: string, cause: unknown): unknown {
  if (!(cause instanceof FlameError) || cause.code !== 'remote-refuses-state') return cause;
  const branch = ref.replace(/^refs\/heads\//, '');
  const reason = String(cause.data.reason ?? 'no reason given');
  // No rule of that server: a lock file is in the way, and the error is reported as that.
  if (/Unable to create '.+\.lock'/.test(reason)) return cause;
  if (/stale info|fetch first|non-fast-forward/.test(reason))
    return new FlameError({
      kind: 'waiting',
      code: 'remote-base-moved',
      message: `${branch} differs between here and ${remote}, so nothing was landed. The approval stays valid.`,
      hints: [`git pull ${shellQuote(remote)} ${shellQuote(branch)}`, 'git flame run'],
      cause,
    });
  return new FlameError({
    kind: 'waiting',
    code: 'remote-base-protected',
    message: `${remote} rejects pushes to ${branch} from here (${reason}), so nothing was landed. The approval stays valid.`,
    hints: [
      'To land on a branch for a pull request: project.landing: branch in .blueflame.yml, then git flame run --pr',
    ],
    details: cause.lines,
    cause,
  });
}
