import { boundText } from '../../core/task/bound-text.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import { type FailedCheck, remarkHeadings } from '../../domain/state/pull-request-news.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { formatCount } from '../../util/format-figures.ts';

/** Most characters a task is given in one round, beside its comments on lines. */
export const maxRemarkCharacters = 12_000;

/** One thing that was said, for one task. */
export type RemarkForTask =
  | { readonly id: string; readonly kind: 'line'; readonly comment: LineComment }
  | { readonly id: string; readonly kind: 'check' | 'whole'; readonly text: string };

/** Counts them, in a few words. */
export function countRemarks(given: readonly RemarkForTask[]): string {
  const checks = given.filter(({ kind }) => kind === 'check').length;
  const parts = [
    ...(given.length === checks ? [] : [formatCount(given.length - checks, 'remark')]),
    ...(checks === 0 ? [] : [formatCount(checks, 'failed check')]),
  ];
  return parts.join(' and ');
}

/** As a task is given it. */
export function renderRemarksForTask(given: readonly RemarkForTask[]): {
  readonly notes: string;
  readonly comments: readonly LineComment[];
} {
  const notes = given.flatMap((one) => (one.kind === 'line' ? [] : [one.text]));
  const head = remarkHeadings[notes.length === 0 ? 0 : 1];
  return {
    notes: boundText([head, ...notes].join('\n\n'), maxRemarkCharacters + 1_000),
    comments: given.flatMap((one) => (one.kind === 'line' ? [one.comment] : [])),
  };
}

type Landing = NonNullable<Session['landing']>;

/** Failed checks without their log that were not waited for yet. */
export function checksAwaitingLog(session: Session, failed: readonly FailedCheck[]): readonly FailedCheck[] {
  const heard = new Set(session.landing?.heard ?? []);
  return failed.filter(({ id, log }) => log === null && !heard.has(id) && !heard.has(makeLogRequestedMark(id)));
}

/** As it stands among what was heard that the log of a check was asked for. */
export function makeLogRequestedMark(check: string): string {
  return `log-of-${check}`;
}

/** The session that remembers it, where nothing else is taken up. */
export function rememberRequestedLogs(
  session: Session,
  landing: Landing,
  asked: readonly string[],
): { readonly next: Session; readonly subject: string } {
  const heard = [...new Set([...(landing.heard ?? []), ...asked])];
  return {
    next: { ...session, landing: { ...landing, heard } },
    subject: 'session: waits for logs of failed checks',
  };
}
