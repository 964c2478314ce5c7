import type { Health, HealthPart } from '../../domain/shown/stats.ts';

export interface HealthFacts {
  readonly landed: number;
  /** Landed, failed, blocked or dropped. */
  readonly settled: number;
  /** Landed with one attempt. */
  readonly firstTry: number;
  readonly verdicts: { readonly passed: number; readonly all: number };
  /** Attempts that ended in work that was accepted, and all that ended. */
  readonly attempts: { readonly good: number; readonly ended: number };
  readonly utilisation: number | null;
  readonly cost: {
    readonly usd: number;
    readonly base_usd: number;
    readonly with_retries_usd: number;
  } | null;
  /** Commits whose checks were run again, and how many came out the same. */
  readonly verified: { readonly same: number; readonly all: number };
}

/**
 * How well it goes, from 0 to 1: what it takes into account and why is in the parts. A part there is nothing to
 * judge by counts neither for nor against.
 */
export function healthScore(facts: HealthFacts): Health {
  const parts = [
    part(
      'landed',
      0.3,
      share(facts.landed, facts.settled),
      `${facts.landed} of ${facts.settled} settled tasks landed`,
    ),
    part(
      'first try',
      0.2,
      share(facts.firstTry, facts.landed),
      `${facts.firstTry} of ${facts.landed} landed tasks took one attempt`,
    ),
    part(
      'verdicts',
      0.15,
      share(facts.verdicts.passed, facts.verdicts.all),
      `${facts.verdicts.passed} of ${facts.verdicts.all} verdicts are pass`,
    ),
    part(
      'attempts',
      0.15,
      share(facts.attempts.good, facts.attempts.ended),
      `${facts.attempts.good} of ${facts.attempts.ended} attempts brought work that keeps to the rules`,
    ),
    costPart(facts.cost),
    part(
      'slots',
      0.05,
      facts.utilisation,
      `${percent(facts.utilisation)} of the usable worker slots were in use`,
    ),
    part(
      'evidence',
      0.05,
      share(facts.verified.same, facts.verified.all),
      `${facts.verified.same} of ${facts.verified.all} commits checked again came out the same`,
    ),
  ];
  const known = parts.filter(({ value }) => value !== null);
  const weight = known.reduce((sum, { weight }) => sum + weight, 0);
  const total = known.reduce((sum, { value, weight }) => sum + (value ?? 0) * weight, 0);
  return { score: weight === 0 ? null : round(total / weight), parts };
}

/** 1 up to the estimate, 0 from what the worst case was expected to cost. */
function costPart(cost: HealthFacts['cost']): HealthPart {
  if (cost === null || cost.base_usd <= 0)
    return part('cost', 0.1, null, 'no estimate to compare the cost with');
  const room = Math.max(cost.with_retries_usd - cost.base_usd, cost.base_usd);
  const over = Math.max(0, cost.usd - cost.base_usd);
  const says = `$${cost.usd.toFixed(2)} spent, $${cost.base_usd.toFixed(2)} estimated, $${cost.with_retries_usd.toFixed(2)} at worst`;
  return part('cost', 0.1, Math.max(0, 1 - over / room), says);
}

function part(name: string, weight: number, value: number | null, says: string): HealthPart {
  return { name, value: value === null ? null : round(value), weight, says };
}

function share(some: number, all: number): number | null {
  return all === 0 ? null : some / all;
}

function percent(value: number | null): string {
  return value === null ? 'an unknown part' : `${Math.round(value * 100)} %`;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
