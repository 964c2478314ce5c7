import { byText } from '../../util/sort-and-group.ts';

/** Order of tasks: highest priority (smallest number) first, then id. Total, so that nothing depends on input order. */
export function byPriority(
  a: { readonly id: string; readonly priority: number },
  b: { readonly id: string; readonly priority: number },
): number {
  return a.priority - b.priority || byText(a.id, b.id);
}
