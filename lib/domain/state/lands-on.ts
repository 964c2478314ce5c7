import type { Session } from './session.ts';

/** The short name of the branch that a session's work starts from and lands on. */
export function landsOn({ base_branch, landing }: Pick<Session, 'base_branch' | 'landing'>): string {
  return landing?.branch ?? base_branch;
}
