import type { Failure } from '../../domain/failure.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { Spending } from '../../domain/state/spending.ts';
import { formatTokens, formatUsd } from '../../util/format-figures.ts';

/** Why the last request to the model API got no answer to work with, where that is not the agent's doing. */
export type ServiceTrouble =
  | {
      readonly kind: 'unreachable';
      /** `ENOTFOUND api.anthropic.com`. */
      readonly why: string;
    }
  | {
      /** The request itself was wrong to it: too long, against its rules, for a model it doesn't know. */
      readonly kind: 'refused';
      /** '' where it said nothing. */
      readonly said: string;
    }
  | {
      readonly kind: 'rejected';
      /** The variables its credential was read from. */
      readonly sources: readonly string[];
      /** Those it could have been read from. */
      readonly variables: readonly string[];
    }
  | {
      /** It was never sent: with the shortest answer it could be worth it comes to more than is left. */
      readonly kind: 'unpaid';
      readonly needs: Spending;
      readonly spent: Spending;
    };

/** Reads a connection's error, and the address of the connection. */
export function readTrouble(error: Error, address: string): ServiceTrouble {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  return { kind: 'unreachable', why: `${code} ${address}` };
}

/** A failure as the trouble of the model API explains it. */
export function explainByTrouble(
  failure: Failure | null,
  trouble: ServiceTrouble | null,
  budget: AgentRequest['budget'],
): Failure | null {
  if (failure === null || trouble === null) return failure;
  if (trouble.kind === 'unpaid')
    return failure.kind === 'budget' ? unpaid(failure, trouble, budget) : failure;
  if (!['rate-limit', 'auth', 'agent-error', 'agent-crashed', 'agent-timeout'].includes(failure.kind))
    return failure;
  if (trouble.kind === 'refused') {
    const isTold = trouble.said === '' || failure.details.some((line) => line.includes(trouble.said));
    return isTold ? failure : { ...failure, details: [...failure.details, trouble.said] };
  }
  const details = [failure.message, ...failure.details];
  if (trouble.kind === 'unreachable') {
    const message = `The model API can't be reached (${trouble.why}).`;
    // The client's report of the gateway's answer repeats it, or is wrong.
    const further = failure.kind === 'rate-limit' ? [] : details;
    return { kind: 'unreachable', message, details: further, retryable: true };
  }
  const names = trouble.sources.join(' and ');
  const message =
    names === ''
      ? `The model API wants a credential, and none is set: ${trouble.variables.join(' or ')}.`
      : `The model API did not accept the credential in ${names}: set a valid one, then: git flame run`;
  return { kind: 'auth', message, details, retryable: false };
}

/** A budget that no request fits into was not spent. */
function unpaid(
  failure: Failure,
  { needs, spent }: Extract<ServiceTrouble, { readonly kind: 'unpaid' }>,
  { unit, limit, key }: AgentRequest['budget'],
): Failure {
  const show = (of: Spending): string => (unit === 'usd' ? formatUsd(of.cost_usd) : formatTokens(of.tokens));
  const budget = show({ tokens: limit, cost_usd: limit });
  const raise = key === undefined ? '' : ` Raise ${key} in .blueflame.yml.`;
  if (spent.tokens === 0)
    return {
      ...failure,
      message: `The agent's budget (${budget}) is smaller than its first request, which may come to ${show(needs)}; none was sent.${raise}`,
    };
  const details = `${show(spent)} of ${budget} are spent, and its next request may come to ${show(needs)}; it was not sent.${raise}`;
  return { ...failure, details: [details, ...failure.details] };
}
