/** Use of a model, or a limit of it. */
export interface Spending {
  readonly tokens: number;
  readonly cost_usd: number;
}

/** The most a request to a model may cost, before its answer reports it. */
export interface RequestDemand {
  readonly input: Spending;
  readonly perOutputToken: Spending;
  /** Output tokens: what it asks for, and the fewest it is worth sending with. */
  readonly most: number;
  readonly least: number;
}

export const unlimitedSpending: Spending = {
  tokens: Number.POSITIVE_INFINITY,
  cost_usd: Number.POSITIVE_INFINITY,
};

/** How many output tokens a request may have of what is left; null: too few to send it. */
export function computeGrantedOutputTokens(
  { input, perOutputToken, most, least }: RequestDemand,
  left: Spending,
): number | null {
  const room = (of: keyof Spending): number => {
    const rest = left[of] - input[of];
    if (rest <= 0) return Number.NEGATIVE_INFINITY;
    return perOutputToken[of] > 0 ? Math.floor(rest / perOutputToken[of]) : Number.POSITIVE_INFINITY;
  };
  const granted = Math.min(most, room('tokens'), room('cost_usd'));
  return granted >= minimumOutputTokens({ least, most }) ? granted : null;
}

/** The fewest output tokens a request is sent with. */
export function minimumOutputTokens({ least, most }: Pick<RequestDemand, 'least' | 'most'>): number {
  return Math.min(least, most);
}

/** All that a request may use up with so many output tokens. */
export function computeSpendingOfDemand({ input, perOutputToken }: RequestDemand, output: number): Spending {
  return {
    tokens: input.tokens + output * perOutputToken.tokens,
    cost_usd: input.cost_usd + output * perOutputToken.cost_usd,
  };
}

export function addSpending(all: Iterable<Spending>): Spending {
  let [tokens, cost_usd] = [0, 0];
  for (const one of all) {
    tokens += one.tokens;
    cost_usd += one.cost_usd;
  }
  return { tokens, cost_usd };
}

/** Returns what is left of `most`, 0 or more of each. */
export function spendingLeft(most: Spending, spent: Spending): Spending {
  return {
    tokens: Math.max(0, most.tokens - spent.tokens),
    cost_usd: Math.max(0, most.cost_usd - spent.cost_usd),
  };
}
