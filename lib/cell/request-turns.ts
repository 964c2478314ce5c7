/** Lets requests of one agent run side by side only as far as the budget holds all of them. */
export interface RequestTurns {
  /** Waits for a turn. false: the budget is spent, or whoever asked is gone. */
  take(id: symbol, reserve: Reserve, isGone: () => boolean): Promise<boolean>;
  /** The request is over, or whoever waited for its turn is gone. */
  release(id: symbol): void;
}

/** What a request may still use up, of tokens and of USD. */
export interface Reserve {
  readonly tokens: number;
  readonly cost: number;
}

export interface Budget {
  /** What is left, 0 or less when it is spent; Infinity: unlimited. */
  left(): Reserve;
  /** What a request has used so far. */
  used(id: symbol): Reserve;
}

// More at once only hold memory here and are turned away there.
const mostAtOnce = 16;

/**
 * A request alone may run as long as anything is left: how much it takes is known only from its answer. Others
 * run beside it only where what all of them may use up is left too, so that many at once don't spend many times
 * the budget.
 */
export function openTurns(budget: Budget): RequestTurns {
  const running = new Map<symbol, Reserve>();
  const waiting = new Set<() => void>();
  const fits = (): boolean => {
    const left = budget.left();
    const open = [...running].map(([id, { tokens, cost }]) => {
      const used = budget.used(id);
      return { tokens: Math.max(0, tokens - used.tokens), cost: Math.max(0, cost - used.cost) };
    });
    const sum = (of: 'tokens' | 'cost'): number => open.reduce((total, one) => total + one[of], 0);
    return sum('tokens') < left.tokens && sum('cost') < left.cost;
  };
  const isSpent = (): boolean => Math.min(budget.left().tokens, budget.left().cost) <= 0;
  return {
    async take(id, reserve, isGone) {
      while (!isGone() && !isSpent()) {
        if (running.size === 0 || (running.size < mostAtOnce && fits())) {
          running.set(id, reserve);
          return true;
        }
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
      return false;
    },
    release(id) {
      running.delete(id);
      for (const wake of waiting) wake();
      waiting.clear();
    },
  };
}
