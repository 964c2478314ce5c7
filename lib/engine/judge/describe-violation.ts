import type { Violation } from '../../domain/policy.ts';

/** What and where, as one sentence; most explanations open with the path already. */
export function describeViolation({ where, details }: Violation): string {
  return details.startsWith(where) ? details : `${where}: ${details}`;
}
