import type { Config } from '../../domain/config/config.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { type BeadsPlace, bdVersion, beadsHooks, hasBeads, hooksWhy, makeBeads } from '../open/run-bd.ts';

/** Whether Beads can keep the memory, where it is to. Nothing is written. */
export async function examineBeads(
  { beads, memory }: Config,
  place: BeadsPlace,
): Promise<readonly Finding[]> {
  if (!beads.enabled || memory.provider === 'none') return [];
  const check = checkOf('programs', 'beads', false);
  const weaker = (why: string, hints: readonly string[]): readonly Finding[] => [
    check.weaker(`beads.enabled, but memory is kept in git notes: ${why}.`, { hints }),
  ];
  try {
    const hooks = beadsHooks(place);
    if (hooks !== null)
      return weaker(hooksWhy(hooks), [
        `ls -l ${shellQuote(hooks)}`,
        'Take the hooks away, or set beads: { enabled: false } in .blueflame.yml',
      ]);
    const version = await bdVersion(place);
    if (!hasBeads(place)) return weaker(`${place.root} has no workspace of Beads`, [makeBeads]);
    return [check.proven(`Beads ${version} keeps the memory.`)];
  } catch (error) {
    return weaker(error instanceof Error ? error.message : String(error), [
      'Install Beads (bd) 1.0 or newer, or set beads: { enabled: false } in .blueflame.yml',
    ]);
  }
}
