import type { SessionId } from '../../domain/ids.ts';
import type { SharedRole } from '../../domain/state/machine.ts';
import type { Workshop } from '../workshop.ts';
import { passOnClaims } from './pass-on.ts';
import { takeWords } from './take-words.ts';
import { tellTrusted } from './trusted.ts';
import { passOnJudging } from './verdict-claims.ts';

/**
 * Acts on each look at the other machines: passes on claims of machines that are gone, publishes which roles each one
 * is trusted in, and applies signed results of trusted ones.
 */
export async function tendMachines(workshop: Workshop, id: SessionId): Promise<void> {
  if (workshop.sharing === undefined) return;
  await passOnClaims(workshop, id);
  await passOnJudging(workshop, id);
  await tellTrusted(workshop, id, keptBack(workshop));
  await takeWords(workshop, id);
}

/** A script that has to come first runs where the session is led, at the beginning of that wave. */
function keptBack({ config, run }: Workshop): readonly SharedRole[] {
  return config.hooks.pre_validation === '' || run.isPrepared ? [] : ['validate'];
}
