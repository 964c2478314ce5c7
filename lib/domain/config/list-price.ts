/** USD for a million tokens of each kind. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  /** Kept for five minutes. */
  readonly cache_write: number;
  /** Kept for an hour. */
  readonly cache_write_1h: number;
}

/** A price as a person, or a list, states it; values left out follow from the input. */
export type StatedPrice = Pick<TokenPrice, 'input' | 'output'> & {
  readonly [Kind in keyof TokenPrice]?: number | undefined;
};

export interface ListPrice {
  readonly price: TokenPrice;
  /** Of requests whose whole input is larger than so many tokens. */
  readonly long?: { readonly above: number; readonly price: TokenPrice };
}

/** A price with what usually follows from its input: reading the cache a tenth, writing it a quarter more, or twice that for an hour. */
export function priced(input: number, output: number, cacheRead = input / 10): TokenPrice {
  return completed({ input, output, cache_read: cacheRead });
}

/** A price with what it leaves out. */
export function completed({ input, output, ...rest }: StatedPrice): TokenPrice {
  return {
    input,
    output,
    cache_read: rest.cache_read ?? input / 10,
    cache_write: rest.cache_write ?? input * 1.25,
    cache_write_1h: rest.cache_write_1h ?? input * 2,
  };
}
