/** Ends an exhaustive switch: the compiler proves that no value gets here. */
export function unreachable(value: never): never {
  throw new Error(`Internal error: unexpected value ${JSON.stringify(value)}`);
}
