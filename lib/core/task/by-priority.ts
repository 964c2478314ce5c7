/** Order of tasks: highest priority (smallest number) first, then id. Total, so that nothing depends on input order. */
export function byPriority(
  a: { readonly id: string; readonly priority: number },
  b: { readonly id: string; readonly priority: number },
): number {
  return a.priority - b.priority || byText(a.id, b.id);
}

/** By code unit: the same on every machine, whatever its locale. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
