/**
 * How many tokens an answer may have whose request doesn't say: as many as each model that agents use may write, and
 * far more than a turn of an agent takes. Without a number in the request the budget could not hold it.
 */
export const unstatedOutput = 32_768;

/** The least of what a request states under several names; unstatedOutput where it states none. */
export function statedOutput(values: readonly unknown[]): number {
  const stated = values.filter((value): value is number => typeof value === 'number');
  return stated.length === 0 ? unstatedOutput : Math.max(0, Math.min(...stated));
}
