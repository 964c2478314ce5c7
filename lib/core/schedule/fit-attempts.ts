interface Room {
  /** Remaining budget of the session; null: it has no limit, or one in another unit. */
  readonly left: number | null;
  /** Budget of one attempt; 0: no limit of its own. */
  readonly each: number;
}

// Sums of dollars are not exact.
const rounding = 1e-9;

/**
 * How many of several attempts are made at once: as many as fit in what is left of the session's budget with all that
 * each may spend, and at least one, whose share is cut like that of any agent.
 */
export function fitAttempts(wanted: number, { left, each }: Room): number {
  if (left === null || each <= 0) return wanted;
  const fitting = Math.floor(left / each + rounding);
  return Math.max(1, Math.min(wanted, fitting));
}
