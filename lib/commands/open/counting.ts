import type { Origins } from '../../domain/state/origins.ts';
import type { RefusedSeal } from '../../domain/state/signatures.ts';

/** What counts here: what was decided in this clone, and what a named signer signed. */
export interface Counting {
  readonly origins: Origins;
  /** Digests that a named signer took back. */
  readonly withdrawn: ReadonlySet<string>;
  /** Signatures that do not count; none where no signer is named. */
  readonly refused: readonly RefusedSeal[];
}
