import {
  computeSpendingOfDemand,
  minimumOutputTokens,
  type Spending,
  unlimitedSpending,
} from '../../domain/state/spending.ts';
import { longestClientWaitMs } from './forward-request.ts';
import type { GatewayAccount, GatewayOptions } from './gateway-options.ts';
import { createHintInserter } from './hint-inserter.ts';
import { readErrorMessage, type ServiceLimit, type ServiceTrouble } from './model-api-trouble.ts';
import { createPromptEstimator } from './model-request.ts';
import { createRequestBudgetTurns, openLedger } from './request-turns.ts';

/** How often the service may refuse in a row: once more than a client that ends by itself asks. */
const mostRefusals = 4;
/** How many turns in a row it may call wrong: some clients shorten the request and ask again, without an end. */
const mostRejected = 10;
/** How often it may refuse in a row where it announced a long wait, or that waiting is of no use. */
const mostOfLong = 2;

/** How one agent stands with the service, and what ends it where that stays so. */
interface OpenedAccount {
  readonly account: GatewayAccount;
  /** The last report of the service. */
  readonly standing: { readonly limit: ServiceLimit | null; readonly trouble: ServiceTrouble | null };
  readonly patience: ReturnType<typeof limitRetries>;
}

/** `isAsking`: whether a request of the agent is open. */
export function createGatewayAccount(options: GatewayOptions, isAsking: () => boolean): OpenedAccount {
  const ledger = openLedger(options);
  const standing: { limit: ServiceLimit | null; trouble: ServiceTrouble | null } = {
    limit: null,
    trouble: null,
  };
  // In a row.
  let refusals = 0;
  let rejected = 0;
  // Some clients ignore the answer, ask again for minutes and print nothing: the wave waits better.
  const patience = limitRetries({
    longestWaitMs: longestClientWaitMs,
    isAsking,
    onOver: () => options.onRefused('service-limit'),
  });
  const account: GatewayAccount = {
    noteAnswer: (status, found, { sources, variables }) => {
      standing.limit = found;
      if (found === null) refusals = 0;
      standing.trouble = status === 401 ? { kind: 'rejected', sources, variables } : null;
    },
    noteLimit: (found, { now, isTurn }) => {
      standing.limit = found;
      refusals += 1;
      const wait = (found.until ?? now) - now;
      const isLong = wait > longestClientWaitMs;
      if (isTurn) patience.refused(wait);
      if (refusals >= (isLong || found.isQuota ? mostOfLong : mostRefusals)) options.onRefused('service-limit');
    },
    noteTurnAnswered: (said) => {
      patience.answered();
      rejected = said === null ? 0 : rejected + 1;
      if (said === null) return;
      standing.trouble ??= { kind: 'refused', message: readErrorMessage(said) };
      if (rejected >= mostRejected) options.onRefused('rejected');
    },
    noteTrouble: (found, isTurn) => {
      standing.trouble = found;
      if (isTurn) patience.refused(0);
    },
    hints: createHintInserter(options.hints),
    noteUnpaid: (demand) => {
      const needs = computeSpendingOfDemand(demand, minimumOutputTokens(demand));
      standing.trouble = { kind: 'unpaid', spent: ledger.total(), needs };
    },
    history: createPromptEstimator(),
    turns: createRequestBudgetTurns({ left: () => leftOf(options, ledger.total()), used: ledger.used }),
    ledger,
  };
  return { account, standing, patience };
}

function leftOf({ tokenLimit, usdLimit }: GatewayOptions, spent: Spending): Spending {
  return {
    tokens: tokenLimit > 0 ? tokenLimit - spent.tokens : unlimitedSpending.tokens,
    cost_usd: usdLimit > 0 ? usdLimit - spent.cost_usd : unlimitedSpending.cost_usd,
  };
}

/** How long a client may go on asking a service that refuses, in milliseconds. */
const longestRetryMs = 10_000;
// A client asks a little later than the answer asked it to.
const graceMs = 5_000;

/** Bounds what an agent's client waits by itself, from the first refusal of a turn to the next answer. */
export interface RetryLimit {
  /** A turn was refused, or the service was out of reach. `wait`: the milliseconds the service asks for, 0 if none. */
  refused(wait: number): void;
  /** A turn was answered. */
  answered(): void;
  close(): void;
}

/**
 * Calls `onOver` when the time is over: at once where no request is on its way, else at the next refusal. What the
 * service says at first is waited out where it is no longer than `longestWaitMs`.
 */
export function limitRetries(options: {
  readonly longestWaitMs: number;
  isAsking(): boolean;
  onOver(): void;
}): RetryLimit {
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;
  const end = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    isOver = false;
  };
  return {
    refused: (wait) => {
      if (isOver) return options.onOver();
      if (timer !== null) return;
      const outcome = wait > 0 && wait <= options.longestWaitMs ? wait + graceMs : 0;
      timer = setTimeout(
        () => {
          isOver = true;
          if (!options.isAsking()) options.onOver();
        },
        Math.max(longestRetryMs, outcome),
      );
      timer.unref();
    },
    answered: end,
    close: end,
  };
}
