import type { RefUpdate } from '../../domain/ports/git-port.ts';
import type { DecideTransaction, OwnStateTips, Transaction, TransactResult } from '../../domain/ports/store-port.ts';
import type { ObjectHashFormat, UnwrittenObject } from '../../git/objects/make-object.ts';
import type { RefCommand } from '../../git/refs/ref-transaction.ts';
import {
  advanceIndexedState,
  collectStateTips,
  type IndexedState,
  openStateSnapshot,
  type RefStates,
} from '../notes/indexed-state.ts';
import { stateRefs } from '../notes/note-kinds.ts';
import { applyStateChange, collectObjects } from './apply-change.ts';
import type { CommitIdentity } from './audit-entry.ts';

/** One call of `transact` that has no answer yet. */
export interface PendingTransaction {
  readonly decide: DecideTransaction;
  readonly resolve: (result: TransactResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Decisions of a group on one state, not yet published. */
export interface DecidedTransactions {
  readonly base: IndexedState;
  readonly next: IndexedState;
  readonly commands: readonly RefCommand[];
  readonly objects: readonly UnwrittenObject[];
  /** Answer for each caller once the refs have moved: it rests on the changes of those before it. */
  readonly answers: ReadonlyMap<PendingTransaction, () => void>;
  /** Caller that asked for each ref outside the state. */
  readonly owners: ReadonlyMap<string, { readonly caller: PendingTransaction; readonly update: RefUpdate }>;
}

interface RoundContext {
  readonly identity: CommitIdentity;
  readonly objectFormat: ObjectHashFormat;
  readonly now: () => Date;
  readonly host: string | null;
  readonly ownTips?: OwnStateTips;
}

/** Asks each caller in turn, on the state those before it leave. Nothing is written yet. */
export function decideTransactions(
  base: IndexedState,
  callers: readonly PendingTransaction[],
  context: RoundContext,
): DecidedTransactions {
  const objects = new Map<string, UnwrittenObject>();
  const answers = new Map<PendingTransaction, () => void>();
  const owners = new Map<string, { caller: PendingTransaction; update: RefUpdate }>();
  let next = base;
  let snapshot = openStateSnapshot(base);
  for (const caller of callers) {
    try {
      const transaction = caller.decide(snapshot);
      if (isEmpty(transaction)) {
        answers.set(caller, () => caller.resolve({ kind: 'nothing' }));
        continue;
      }
      checkRefs(transaction);
      // A ref that another caller of this round moves: without an answer it's asked again in the next round.
      if (transaction.refs?.some(({ ref }) => owners.has(ref)) === true) continue;
      next = applyAll(next, transaction, context, objects);
      const isOwn = transaction.isOwn === true && context.ownTips?.has(snapshot) === true;
      // Only now: who changes nothing leaves the lists that were made to the next one.
      snapshot = openStateSnapshot(next);
      if (isOwn) context.ownTips?.mark(snapshot);
      for (const update of transaction.refs ?? []) owners.set(update.ref, { caller, update });
      answers.set(caller, () => caller.resolve({ kind: 'done', snapshot }));
    } catch (error) {
      answers.set(caller, () => caller.reject(error));
    }
  }
  const updates = [...owners.values()].map(({ update }) => update);
  const commands = commandsFor(base, next, updates);
  return { base, next, commands, objects: [...objects.values()], answers, owners };
}

function isEmpty(transaction: Transaction | null): transaction is null {
  return transaction === null || (transaction.changes.length === 0 && (transaction.refs ?? []).length === 0);
}

function checkRefs(transaction: Transaction): void {
  const refs = (transaction.refs ?? []).map(({ ref }) => ref);
  const own = refs.find((ref) => stateRefs.includes(ref));
  if (own !== undefined) throw new Error(`${own} is moved by changes alone`);
  if (new Set(refs).size !== refs.length) throw new Error('a ref stands twice in one transaction');
}

function applyAll(
  state: IndexedState,
  transaction: Transaction,
  context: RoundContext,
  objects: Map<string, UnwrittenObject>,
): IndexedState {
  const now = context.now();
  const { sink } = collectObjects(context.objectFormat, objects);
  const refs = transaction.changes.reduce(
    (before: RefStates, change) =>
      applyStateChange(before, change, { ...context, actor: transaction.actor, now, sink }),
    state,
  );
  // Once for all changes: nothing reads tasks in between.
  return advanceIndexedState(state, refs);
}

/**
 * State refs first: were git killed between two renames, then what happened is at least recorded. Sessions and
 * tasks are verified even where they stay, so that no decision rests on what another process has just changed;
 * verdicts and reviews only ever grow, and a lock more on each would cost a tenth of a change.
 */
function commandsFor(base: IndexedState, next: IndexedState, updates: readonly RefUpdate[]): readonly RefCommand[] {
  const after = collectStateTips(next);
  const own = [...collectStateTips(base)].flatMap(([ref, old]): RefCommand[] => {
    const to = after.get(ref) ?? null;
    if (to !== old) return [{ ref, old, new: to }];
    return ref === base.sessions.kind.ref || ref === base.tasks.kind.ref ? [{ ref, old }] : [];
  });
  return [...own, ...updates];
}
