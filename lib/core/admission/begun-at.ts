import type { SessionId } from '../../domain/ids.ts';

/**
 * When a session began, in ms, as its id says: what was there before is no work of it. Its work lands by a merge, so what
 * became part of the branch otherwise is none either.
 */
export function begunAt(session: SessionId): number {
  const [, ...parts] = /^ses-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(session) ?? [];
  const [year = 0, month = 1, ...rest] = parts.map(Number);
  const [day = 1, hour = 0, minute = 0, second = 0] = rest;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
