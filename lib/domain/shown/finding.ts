/** What `git flame doctor` looked at; the first three are the phases of enforcement. */
export const findingAreas = ['watcher', 'sandbox', 'post-check', 'programs', 'state', 'leftovers'] as const;
export type FindingArea = (typeof findingAreas)[number];

/** One thing that was tried. */
export interface Finding {
  readonly area: FindingArea;
  /** Stable and kebab-case: scripts rely on it. */
  readonly check: string;
  /** proven: it was tried and held. weaker: it works, but less is enforced or something is left over. */
  readonly result: 'proven' | 'weaker' | 'missing';
  /** Nothing can be run without it, as configured. */
  readonly isRequired: boolean;
  /** One sentence. */
  readonly message: string;
  readonly details: readonly string[];
  /** What to do: complete commands, or short sentences. */
  readonly hints: readonly string[];
}

/** A finding with the parts that are usually empty left out. */
export function finding(
  part: Pick<Finding, 'area' | 'check' | 'result' | 'message'> & Partial<Finding>,
): Finding {
  const { area, check, result, message, isRequired = true, details = [], hints = [] } = part;
  return { area, check, result, isRequired, message, details, hints };
}

/** Whether work can start here: everything that is required is there. */
export function isSound(findings: readonly Finding[]): boolean {
  return findings.every(({ result, isRequired }) => result !== 'missing' || !isRequired);
}
