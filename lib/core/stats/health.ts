import type { Health, HealthPart } from '../../domain/shown/stats.ts';
import { share } from './distribution.ts';

/** Inputs of the health score, as counts that add up over sessions. */
export const noCounts = {
  landed: 0,
  /** Landed, failed, blocked or dropped. */
  settled: 0,
  /** Landed with one attempt. */
  firstTry: 0,
  passed: 0,
  verdicts: 0,
  /** Attempts that ended in work that was accepted, and all that ended. */
  good: 0,
  ended: 0,
  /** Seconds that worker slots were in use, and could have been. */
  busy: 0,
  usable: 0,
  /** US dollars spent and estimated, if all went well and at worst, of sessions with an estimate. */
  usd: 0,
  base: 0,
  worst: 0,
  /** Commits whose checks were run again, and those of them that came out the same. */
  verified: 0,
  same: 0,
};
export type HealthCounts = Readonly<typeof noCounts>;

export function addCounts(all: readonly HealthCounts[]): HealthCounts {
  const sum = { ...noCounts };
  for (const counts of all)
    for (const key of Object.keys(noCounts) as (keyof HealthCounts)[]) sum[key] += counts[key];
  return sum;
}

/**
 * Computes a health score from 0 to 1, with its parts and their reasons. A part without data counts neither for nor
 * against.
 */
export function healthScore(counts: HealthCounts): Health {
  const { landed, settled, firstTry, passed, verdicts, good, ended, busy, usable, verified, same } = counts;
  const slots = usable === 0 ? 'an unknown part' : `${Math.round((busy / usable) * 100)} %`;
  const parts = [
    ratio('landed', 0.3, [landed, settled], 'settled tasks landed'),
    ratio('first try', 0.2, [firstTry, landed], 'landed tasks took one attempt'),
    ratio('verdicts', 0.15, [passed, verdicts], 'verdicts are pass'),
    ratio('attempts', 0.15, [good, ended], 'attempts brought work that keeps to the rules'),
    costPart(counts),
    part('slots', 0.05, share(busy, usable), `${slots} of the usable worker slots were in use`),
    ratio('evidence', 0.05, [same, verified], 'commits checked again came out the same'),
  ];
  const known = parts.filter(({ value }) => value !== null);
  const weight = known.reduce((sum, { weight }) => sum + weight, 0);
  const total = known.reduce((sum, { value, weight }) => sum + (value ?? 0) * weight, 0);
  return { score: weight === 0 ? null : roundTo3(total / weight), parts };
}

/** 1 up to the estimate, 0 from what the worst case was expected to cost. */
function costPart({ usd, base, worst }: HealthCounts): HealthPart {
  if (base <= 0) return part('cost', 0.1, null, 'no estimate to compare the cost with');
  const over = Math.max(0, usd - base) / Math.max(worst - base, base);
  const says = `$${usd.toFixed(2)} spent, $${base.toFixed(2)} estimated, $${worst.toFixed(2)} at worst`;
  return part('cost', 0.1, Math.max(0, 1 - over), says);
}

function ratio(
  name: string,
  weight: number,
  [some, all]: readonly [number, number],
  what: string,
): HealthPart {
  return part(name, weight, share(some, all), `${some} of ${all} ${what}`);
}

function part(name: string, weight: number, value: number | null, says: string): HealthPart {
  return { name, value: value === null ? null : roundTo3(value), weight, says };
}

function roundTo3(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
