import { FlameError } from '../flame-error.ts';

/** Areas that `git flame doctor` examines; the first three are the phases of enforcement. */
export const findingAreas = ['watcher', 'sandbox', 'post-check', 'programs', 'state', 'leftovers'] as const;
export type FindingArea = (typeof findingAreas)[number];

/** One thing that was tried. */
export interface DoctorFinding {
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
  /** Next steps: complete commands, or short sentences. */
  readonly hints: readonly string[];
}

/** Makes the findings of one check. */
export function createCheckFindings(area: FindingArea, check: string, isRequired = true) {
  const make =
    (result: DoctorFinding['result']) =>
    (message: string, more: Partial<Pick<DoctorFinding, 'details' | 'hints' | 'isRequired'>> = {}): DoctorFinding => ({
      area,
      check,
      result,
      isRequired,
      message,
      details: [],
      hints: [],
      ...more,
    });
  return {
    proven: make('proven'),
    weaker: make('weaker'),
    missing: make('missing'),
    /** Turns an error into a finding. Throws one that is no FlameError. */
    failed: (error: unknown, result: DoctorFinding['result'] = 'missing'): DoctorFinding => {
      if (!(error instanceof FlameError)) throw error;
      const { message, lines: details, hints } = error;
      return make(result)(message, { details, hints });
    },
  };
}

/** Whether work can start here: everything that is required is there. */
export function isReadyForWork(findings: readonly DoctorFinding[]): boolean {
  return findings.every(({ result, isRequired }) => result !== 'missing' || !isRequired);
}
