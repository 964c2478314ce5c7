import type { Config } from '../domain/config/config.ts';

/** What is configured of Beads and can't be had: this version keeps memory in git notes alone. */
export function beadsWarnings({ beads }: Config): readonly string[] {
  return beads.enabled
    ? ['beads.enabled: this version has no Beads provider (bd); memory is kept in git notes instead.']
    : [];
}
