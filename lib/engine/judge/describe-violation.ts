import type { Violation } from '../../domain/policy.ts';

/** Describes a violation and its place in one sentence; most explanations open with the path already. */
export function describeViolation({ where, details }: Violation): string {
  return details.startsWith(where) ? details : `${where}: ${details}`;
}
