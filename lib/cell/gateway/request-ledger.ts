import { addSpending, beyond, type Spending } from '../../domain/state/spending.ts';

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
    underWay: () => addSpending([...sent].map(([request, most]) => beyond(most, usedBy(request)))),
  };
}
