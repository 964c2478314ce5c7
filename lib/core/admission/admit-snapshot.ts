import type { SessionId } from '../../domain/ids.ts';
import { noSessionError } from '../../domain/input-errors.ts';
import type { AdmittedSessionView, AdmittedSnapshot, Snapshot } from '../../domain/ports/store-port.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import {
  admitOwnSession,
  type FilteredSession,
  filterUntrustedNotes,
  filterUntrustedSession,
  isTrustedVerdict,
  type TrustRules,
} from './filter-untrusted.ts';
import { type CompletionRules, filterUnverifiedCompletions, type VerifiedSessions } from './unverified-completions.ts';

export interface AdmissionRules extends TrustRules, CompletionRules {
  /** Whether this clone wrote or admitted the state whole: then it is read as it is. */
  readonly isOwn: boolean;
}

/** A snapshot as this clone trusts it. `only`: the one session that was looked at. */
export function admitSnapshot(raw: Snapshot, rules: AdmissionRules, only?: SessionId | null): AdmittedSnapshot {
  const verified = rules.isOwn ? asItIs(raw) : filterUnverifiedCompletions(raw, rules, only);
  const { unverified } = verified;
  const trusted = overlay(raw, verified, rules.isOwn ? undefined : rules.decided);
  const views = new Map<SessionId, AdmittedSessionView>();
  const admitted = (id: SessionId): AdmittedSessionView => {
    const view = views.get(id) ?? {
      ...admitSession(id, { raw, verified }, rules),
      snapshot: trusted,
      unverified: unverified.filter(({ session }) => session === id),
      pages: () => raw.blackboardOf(id),
    };
    views.set(id, view);
    return view;
  };
  return Object.assign(overlay(raw, verified), { unverified, admitted });
}

function asItIs(raw: Snapshot): VerifiedSessions {
  const { sessions, current } = raw;
  return { sessions, current, tasksOf: (session) => raw.tasksOf(session), unverified: [] };
}

function admitSession(
  id: SessionId,
  { raw, verified }: { readonly raw: Snapshot; readonly verified: VerifiedSessions },
  rules: AdmissionRules,
): FilteredSession {
  const session = verified.sessions.find((one) => one.id === id);
  if (session === undefined) throw noSessionError(id, ['git flame status']);
  const stored = { session, tasks: verified.tasksOf(id) };
  if (rules.isOwn) return admitOwnSession(stored, rules);
  return filterUntrustedSession({ ...stored, verdictsOn: (commit) => raw.verdictsOn(commit) }, rules);
}

/** A snapshot with these sessions. `decided`: with the verdicts and notes for later tasks alone that are trusted by it. */
function overlay(raw: Snapshot, verified: VerifiedSessions, decided?: DecisionLog): Snapshot {
  const isTrusted = (verdict: Verdict): boolean => decided === undefined || isTrustedVerdict(verdict, decided);
  const pagesOf = (session: SessionId): readonly BlackboardPage[] => raw.blackboardOf(session);
  return {
    sessions: verified.sessions,
    current: verified.current,
    tips: raw.tips,
    tasksOf: verified.tasksOf,
    verdictsOn: (commit) => raw.verdictsOn(commit).filter(isTrusted),
    verdictsOf: (session) => raw.verdictsOf(session).filter(isTrusted),
    verificationsOn: (commit) => raw.verificationsOn(commit),
    reviewOn: (commit) => raw.reviewOn(commit),
    blackboardOf: decided === undefined ? pagesOf : (session) => filterUntrustedNotes(pagesOf(session), decided),
    get problems() {
      return raw.problems;
    },
  };
}
