import type { Config } from '../domain/config/config.ts';

/** `superpowers` as resolveSuperpowers left it. */
export type AdapterConfig = Pick<Config, 'adapters' | 'superpowers'>;
