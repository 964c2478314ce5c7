import type { FailedCheck } from '../../domain/state/pull-request.ts';
import type { Session } from '../../domain/state/session.ts';

type Landing = NonNullable<Session['landing']>;

/** Failed checks without their log that were not waited for yet. */
export function awaitedIn(session: Session, failed: readonly FailedCheck[]): readonly FailedCheck[] {
  const heard = new Set(session.landing?.heard ?? []);
  return failed.filter(({ id, log }) => log === null && !heard.has(id) && !heard.has(askedOnce(id)));
}

/** As it stands among what was heard that the log of a check was asked for. */
export function askedOnce(check: string): string {
  return `log-of-${check}`;
}

/** The session that remembers it, where nothing else is taken up. */
export function awaiting(
  session: Session,
  landing: Landing,
  asked: readonly string[],
): { readonly next: Session; readonly subject: string } {
  const heard = [...new Set([...(landing.heard ?? []), ...asked])];
  return {
    next: { ...session, landing: { ...landing, heard } },
    subject: 'session: logs of failed checks are waited for',
  };
}
