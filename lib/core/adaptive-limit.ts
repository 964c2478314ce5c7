/**
 * How many agents may run at once: at most the configured number, at least one, and no more on top of those
 * `running` (default 0) than the memory that is free now has room for.
 */
export function adaptiveLimit({
  configured,
  freeMb,
  minPerAgentMb,
  running = 0,
}: {
  readonly configured: number;
  readonly freeMb: number;
  readonly minPerAgentMb: number;
  readonly running?: number;
}): { readonly limit: number; readonly isReduced: boolean } {
  const fitting = running + Math.floor(Math.max(0, freeMb) / Math.max(1, minPerAgentMb));
  const limit = Math.max(1, Math.min(configured, fitting));
  return { limit, isReduced: limit < configured };
}
