/**
 * Computes how many agents may run at once: at most the configured number, at least one, and no more than memory
 * allows. Each running agent will still take `minPerAgentMb` less what it uses now from the free memory; `usedMb` holds
 * what each of them uses.
 */
export function adaptiveLimit({
  configured,
  freeMb,
  minPerAgentMb,
  usedMb = [],
}: {
  readonly configured: number;
  readonly freeMb: number;
  readonly minPerAgentMb: number;
  readonly usedMb?: readonly number[];
}): { readonly limit: number; readonly isReduced: boolean } {
  const toCome = usedMb.reduce((sum, used) => sum + Math.max(0, minPerAgentMb - used), 0);
  const further = Math.floor(Math.max(0, freeMb - toCome) / Math.max(1, minPerAgentMb));
  const limit = Math.max(1, Math.min(configured, usedMb.length + further));
  return { limit, isReduced: limit < configured };
}
