import type { ServerResponse } from 'node:http';
import { findPrice, sayPrice } from '../../domain/config/token-price.ts';
import type { Demand } from '../../domain/state/spending.ts';
import type { Admitted } from './admit-request.ts';
import type { Context, Refusal, Refused } from './gateway-options.ts';
import { demandOf, type Estimate } from './model-request.ts';
import type { Prompt } from './prompt-history.ts';

/** A request that is paid for, with what it may come to. */
export interface Asked {
  readonly prompt: Prompt;
  readonly estimate: Estimate;
  readonly demand: Demand;
}

/** Estimates the cost of a request, from those before it. */
export function estimateRequest({ request, dialect, model }: Admitted, { options, account }: Context): Asked {
  const prompt = { model, ...dialect.readPrompt(request) };
  const input = account.history.estimate(prompt, options.now().getTime());
  const estimate = { ...input, ...dialect.size(request), model };
  return { prompt, estimate, demand: demandOf(estimate, options.meant.prices) };
}

/** How many output tokens a request may have, by the agent's own budget and by the one it shares. */
export async function grantRequest(
  id: symbol,
  { prompt, demand }: Asked,
  response: ServerResponse,
  { options, account }: Context,
): Promise<number | (Refused & { readonly why: Refusal })> {
  const spent = { status: 400 };
  const isInUsd = options.usdLimit > 0 || options.sharesUsd;
  if (isInUsd && findPrice(prompt.model, 0, options.meant.prices) === null)
    return { ...spent, why: 'no-price', message: noPrice(prompt.model) };
  const isGone = (): boolean => response.destroyed;
  const own = await account.turns.take(id, demand, isGone);
  if (own === null) {
    account.noteUnpaid(demand);
    return {
      ...spent,
      why: 'budget',
      message: "What is left of the agent's budget is too little for this request.",
    };
  }
  const shared = await options.share(id, { ...demand, most: own }, isGone);
  if (shared === null)
    return {
      ...spent,
      why: 'session-budget',
      message: "What is left of the session's budget is too little for this request.",
    };
  if (shared < own) account.turns.reduce(id, demand, shared);
  return shared;
}

/** The message about a model that can't be held to a budget in dollars. */
function noPrice(model: string): string {
  return `The price of the model ${JSON.stringify(model)} is not known, and the budget is in dollars: ${sayPrice}`;
}
