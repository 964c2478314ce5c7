import { landsOn } from './lands-on.ts';
import type { Session } from './session.ts';

/** A pull request that was opened for a session, or for one group of it. */
export interface OpenedRequest {
  readonly url: string;
  /** Short name of its branch. */
  readonly branch: string;
  /** null: it is for all that the session lands. */
  readonly group: string | null;
  readonly rounds: number;
}

/** The pull requests that were opened for a session, but for those of a group that were merged. */
export function requestsOf(session: Session): readonly OpenedRequest[] {
  const { landing } = session;
  if (landing === undefined) return [];
  const { pull_request: url, rounds = 0, requests = [] } = landing;
  const whole = url === null ? [] : [{ url, branch: landsOn(session), group: null, rounds }];
  return [
    ...whole,
    ...requests.flatMap(({ pull_request: own, merged, ...one }) =>
      own === null || merged !== null ? [] : [{ ...one, url: own }],
    ),
  ];
}
