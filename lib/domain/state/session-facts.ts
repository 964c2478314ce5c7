import type { Session } from './session-schema.ts';

/** The waves of a cycle, in order. */
export const wavesOfCycle = ['plan', 'work', 'validate', 'merge', 'review'] as const;
export type Wave = (typeof wavesOfCycle)[number];

/** A pull request that was opened for a session, or for one group of it. */
export interface OpenedPullRequest {
  readonly url: string;
  /** Short name of its branch. */
  readonly branch: string;
  /** null: it is for all that the session lands. */
  readonly group: string | null;
  readonly rounds: number;
}

/** The pull requests that were opened for a session, but for those of a group that were merged. */
export function listOpenPullRequests(session: Session): readonly OpenedPullRequest[] {
  const { landing } = session;
  if (landing === undefined) return [];
  const { pull_request: url, rounds = 0, requests = [] } = landing;
  const whole = url === null ? [] : [{ url, branch: findLandingBranch(session), group: null, rounds }];
  return [
    ...whole,
    ...requests.flatMap(({ pull_request: own, merged, ...one }) =>
      own === null || merged !== null ? [] : [{ ...one, url: own }],
    ),
  ];
}

/** The short name of the branch that a session's work starts from and lands on. */
export function findLandingBranch({ base_branch, landing }: Pick<Session, 'base_branch' | 'landing'>): string {
  return landing?.branch ?? base_branch;
}

/** The checkout that a clone, by its name, must still update: a synced session may record another clone's checkout. */
export function findPendingCheckout(
  { place }: { readonly place: string },
  { checkout }: Pick<Session, 'checkout'>,
): Session['checkout'] {
  return checkout?.place === place ? checkout : null;
}

/** A session's title in one line. */
export function deriveSessionTitle({ title, objective }: Pick<Session, 'title' | 'objective'>): string {
  return title ?? objective.trim().split('\n')[0] ?? '';
}

/** The cycle a person is in, from 1: one that is planned begins with its plan, which the session counts once it is approved. */
export function cycleNumber({ wave, cycle }: { readonly wave: string; readonly cycle: number }): number {
  return wave === 'plan' ? cycle + 1 : cycle;
}
