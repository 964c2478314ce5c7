declare const brand: unique symbol;

/** A string that only its own parser makes, so that one kind of name can't be passed for another. */
export type Brand<Name extends string> = string & { readonly [brand]: Name };
