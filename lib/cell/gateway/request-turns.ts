import {
  addSpending,
  computeGrantedOutputTokens,
  computeSpendingOfDemand,
  type RequestDemand,
  type Spending,
  spendingLeft,
} from '../../domain/state/spending.ts';

/** Lets requests of one agent run only as far as the budget holds all of them. */
export interface RequestTurns {
  /**
   * Waits for a turn. Resolves to how many output tokens the request may have; null: what is left is too
   * little for it, or the client is gone.
   */
  take(id: symbol, demand: RequestDemand, isGone: () => boolean): Promise<number | null>;
  /** It is sent with fewer output tokens than it was given. */
  reduce(id: symbol, demand: RequestDemand, output: number): void;
  /** The request is over, or the client that waited for its turn is gone. */
  release(id: symbol): void;
}

interface Budget {
  /** The rest of the budget, 0 or less when it is spent; Infinity: unlimited. */
  left(): Spending;
  /** The use of a request so far. */
  used(id: symbol): Spending;
}

// More at once only hold memory here and are turned away there.
const mostAtOnce = 16;

/**
 * A request is sent when what is left, less what those that run may still use up, holds its input and an answer of a
 * sensible length. One that doesn't fit beside others waits for them; one that doesn't fit alone is never sent.
 */
export function createRequestBudgetTurns(budget: Budget): RequestTurns {
  const running = new Map<symbol, Spending>();
  const waiting = new Set<() => void>();
  const reserved = (): Spending => addSpending([...running].map(([id, most]) => spendingLeft(most, budget.used(id))));
  const grant = (demand: RequestDemand): number | null => {
    if (running.size >= mostAtOnce) return null;
    const [left, held] = [budget.left(), reserved()];
    return computeGrantedOutputTokens(demand, {
      tokens: left.tokens - held.tokens,
      cost_usd: left.cost_usd - held.cost_usd,
    });
  };
  return {
    async take(id, demand, isGone) {
      while (!isGone()) {
        const granted = grant(demand);
        if (granted !== null) {
          running.set(id, computeSpendingOfDemand(demand, granted));
          return granted;
        }
        if (running.size === 0) return null;
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
      return null;
    },
    reduce: (id, demand, output) => void running.set(id, computeSpendingOfDemand(demand, output)),
    release(id) {
      running.delete(id);
      for (const wake of waiting) wake();
      waiting.clear();
    },
  };
}

/** Counts what the requests of one agent have used up, and the most that those may cost that are not over. */
export interface RequestLedger {
  count(request: symbol, spent: Spending): void;
  /** It is about to be sent, and may use up so much. Throws where that can't be noted: then it must not be sent. */
  send(request: symbol, most: Spending): void;
  /** It is known what it cost. */
  over(request: symbol): void;
  used(request: symbol): Spending;
  total(): Spending;
  /** The most that requests under way may use up beyond what is counted of them. */
  underWay(): Spending;
}

const nothing: Spending = { tokens: 0, cost_usd: 0 };

/** See GatewayOptions. */
interface Listener {
  onSpending(total: Spending): void;
  onUnderWay(): void;
}

export function openLedger(listener: Listener): RequestLedger {
  const used = new Map<symbol, Spending>();
  const sent = new Map<symbol, Spending>();
  const usedBy = (request: symbol): Spending => used.get(request) ?? nothing;
  const total = (): Spending => addSpending(used.values());
  return {
    count(request, spent) {
      used.set(request, spent);
      listener.onSpending(total());
    },
    send(request, most) {
      sent.set(request, most);
      try {
        listener.onUnderWay();
      } catch (error) {
        sent.delete(request);
        throw error;
      }
    },
    over(request) {
      if (!sent.delete(request)) return;
      try {
        listener.onUnderWay();
      } catch {
        // An estimate noted there is too much, never too little.
      }
    },
    used: usedBy,
    total,
    underWay: () => addSpending([...sent].map(([request, most]) => spendingLeft(most, usedBy(request)))),
  };
}
