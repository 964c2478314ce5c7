import type { Failure } from '../../domain/failure.ts';

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
    };

/** What a connection's error says, and which address the connection was for. */
export function readTrouble(error: Error, address: string): ServiceTrouble {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  return { kind: 'unreachable', why: `${code} ${address}` };
}

/** A failure as the trouble of the model API explains it. */
export function explainByTrouble(failure: Failure | null, trouble: ServiceTrouble | null): Failure | null {
  if (failure === null || trouble === null) return failure;
  if (!['rate-limit', 'auth', 'agent-error', 'agent-crashed', 'agent-timeout'].includes(failure.kind))
    return failure;
  if (trouble.kind === 'refused') {
    const isTold = trouble.said === '' || failure.details.some((line) => line.includes(trouble.said));
    return isTold ? failure : { ...failure, details: [...failure.details, trouble.said] };
  }
  const details = [failure.message, ...failure.details];
  if (trouble.kind === 'unreachable') {
    const message = `The model API can't be reached (${trouble.why}).`;
    return { kind: 'unreachable', message, details, retryable: true };
  }
  const names = trouble.sources.join(' and ');
  const message =
    names === ''
      ? `The model API wants a credential, and none is set: ${trouble.variables.join(' or ')}.`
      : `The model API did not accept the credential in ${names}: set a valid one, then: git flame run`;
  return { kind: 'auth', message, details, retryable: false };
}
