import type { BlackboardNote, BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { MemoryEntry } from '../../domain/state/memory.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { ReviewNote, Verdict } from '../../domain/state/verdict.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { shortId } from '../../util/short-names.ts';
import { toOneLine } from '../task/bound-text.ts';
import { listChangedPlanKeys, pickTaskPlan, renderNamedKeys } from '../task/task-keys.ts';
import { describeTaskHead, pickTaskHead } from './merge-task-notes.ts';

/** One thing that another clone changed, to be judged by a person. */
export interface IncomingChange {
  readonly session: string;
  /** Id of the task or changeset, the commit that was judged or landed; '' of the session itself. */
  readonly about: string;
  readonly what: string;
  /** null: there was none. */
  readonly from: string | null;
  /** null: there is none any more. */
  readonly to: string | null;
}

type Facts = Readonly<Record<string, string | null>>;

/** Lists the changes of a task: its status with who works on it, then each part of its plan. */
export function listTaskChanges(before: Task | null, after: Task): readonly IncomingChange[] {
  const place = { session: after.session, about: after.id };
  const status = statusOf(after);
  if (before === null) return [{ ...place, what: 'task', from: null, to: `${status}: ${after.title}` }];
  const planned = listChangedPlanKeys(pickTaskPlan(before), pickTaskPlan(after));
  const part = (task: Task, key: (typeof planned)[number]): string => textOf(task[key]);
  return [
    ...differing(place, { status: statusOf(before) }, { status }),
    ...planned.map((what) => ({ ...place, what, from: part(before, what), to: part(after, what) })),
    ...differing(place, attemptsOf(before), attemptsOf(after)),
  ];
}

function statusOf(task: Task): string {
  return toOneLine(describeTaskHead(pickTaskHead(task)), longest);
}

/** The start and place of its next attempt's work, then the results of its attempts. */
function attemptsOf(task: Task): Facts {
  const { history } = task;
  return {
    ...renderNamedKeys(task),
    attempts: `${history.length} (${canonicalDigest(history).slice(0, 8)})`,
  };
}

/** Lists the changes of a session and of its changesets. */
export function listSessionChanges(before: Session | null, after: Session): readonly IncomingChange[] {
  const place = { session: after.id, about: '' };
  if (before === null) {
    const to = toOneLine(`${courseOf(after)}, by ${after.created_by}: ${after.objective}`, longest);
    return [{ ...place, what: 'session', from: null, to }];
  }
  if (after.archived_at !== undefined && before.archived_at === undefined)
    return [{ ...place, what: 'session', from: courseOf(before), to: `archived, ${courseOf(after)}` }];
  return [...differing(place, sessionFacts(before), sessionFacts(after)), ...changesetChanges(before, after)];
}

function sessionFacts(session: Session): Facts {
  const { objective, base_commit, replan_notes, raised_limit, proposal, sent_back, checkout } = session;
  return {
    session: courseOf(session),
    objective,
    'lands on': findLandingBranch(session),
    'base branch': session.base_branch,
    configuration: session.config_digest,
    base: base_commit,
    proposal: proposal === null ? null : describePlan(proposal),
    'notes for the next plan': replan_notes,
    'plans sent back': sent_back === undefined ? null : textOf(sent_back),
    'raised limit': raised_limit === null ? null : `${raised_limit}`,
    checkout: checkout === null ? null : `${shortId(checkout.from)} to ${shortId(checkout.to)}`,
    pauses:
      session.pauses.length === 0
        ? null
        : session.pauses.map(({ adapter, until, why }) => `${adapter} until ${until}: ${why}`).join(', '),
    spent: `$${session.cost_usd} and ${session.tokens} tokens`,
    'decided at gates': `${session.gates.length}`,
    'agent runs': `${session.agents.length}`,
  };
}

function courseOf({ state, wave, cycle, replans }: Session): string {
  const plans = replans === 0 ? '' : `, ${replans} plans sent back`;
  return `${state} in wave ${wave} of cycle ${cycle}${plans}`;
}

function describePlan(proposal: NonNullable<Session['proposal']>): string {
  const ids = proposal.map(({ id }) => id).join(', ');
  return `a plan of ${proposal.length} task${proposal.length === 1 ? '' : 's'} (${ids}) ${canonicalDigest(proposal).slice(0, 8)}`;
}

function changesetChanges(before: Session, after: Session): readonly IncomingChange[] {
  const [old, now] = [setsOf(before), setsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((id) => {
    const place = { session: after.id, about: id };
    return differing(place, { changeset: old.get(id) ?? null }, { changeset: now.get(id) ?? null });
  });
}

function setsOf({ changesets }: Session): ReadonlyMap<string, string> {
  return new Map(changesets.map((changeset) => [changeset.id, describeChangeset(changeset)]));
}

function describeChangeset(changeset: Changeset): string {
  const { state, commit, tasks, diagnostics, decided_by: by, reason, parent, landed_commit } = changeset;
  const failing = diagnostics.filter(({ exit_code: exitCode }) => exitCode !== 0).length;
  const checks = diagnostics.length === 0 ? 'no checks' : failing === 0 ? 'checks pass' : `${failing} checks fail`;
  const who = by === null ? '' : ` by ${by}`;
  const landed = landed_commit === null ? '' : `, landed as ${shortId(landed_commit)}`;
  const why = reason === null ? '' : `: ${reason}`;
  return `${state}${who} at ${shortId(commit)} on ${shortId(parent)} of ${tasks.join(', ')}, ${checks}${landed}${why}`;
}

/** Verdicts on one commit that are new, and those that are gone. */
export function listVerdictChanges(before: readonly Verdict[], after: readonly Verdict[]): readonly IncomingChange[] {
  const [old, now] = [verdictsIn(before), verdictsIn(after)];
  const change = ({ session, task, commit }: Verdict, from: string | null, to: string | null): IncomingChange => ({
    session,
    about: task,
    from,
    to,
    what: `verdict on ${shortId(commit)}`,
  });
  return [
    ...[...old].filter(([key]) => !now.has(key)).map(([, verdict]) => change(verdict, describe(verdict), null)),
    ...[...now].filter(([key]) => !old.has(key)).map(([, verdict]) => change(verdict, null, describe(verdict))),
  ];
}

function verdictsIn(verdicts: readonly Verdict[]): ReadonlyMap<string, Verdict> {
  return new Map(verdicts.map((verdict) => [canonicalDigest(verdict), verdict]));
}

function describe({ status, by, override, notes }: Verdict): string {
  const red = override === undefined ? '' : `, although checks fail: ${override}`;
  return toOneLine(`${status} by ${by}${red}: ${notes}`, longest);
}

/** A commit landed, or its landing was taken back. */
export function listReviewChanges(commit: string, after: ReviewNote): readonly IncomingChange[] {
  const { session, group, by, undone } = after;
  const to = undone === undefined ? `${group} approved by ${by}` : `${group} taken back by ${undone.by}`;
  return [{ session, about: shortId(commit), what: 'review', from: null, to }];
}

/** Notes for later tasks that came or went. */
export function listLeftNoteChanges(before: BlackboardPage | null, after: BlackboardPage): readonly IncomingChange[] {
  const place = { session: after.session, about: after.task ?? '' };
  const describeNote = ({ by, text }: BlackboardNote): string => toOneLine(`${by}: ${text}`, longest);
  const old = before?.notes ?? [];
  const [known, now] = [old, after.notes].map((notes) => new Set(notes.map(({ id }) => id)));
  const named = ({ id }: BlackboardNote) => ({ ...place, what: `note ${shortId(id)}` });
  return [
    ...after.notes
      .filter(({ id }) => known?.has(id) !== true)
      .map((note) => ({ ...named(note), from: null, to: describeNote(note) })),
    ...old
      .filter(({ id }) => now?.has(id) !== true)
      .map((note) => ({ ...named(note), from: describeNote(note), to: null })),
  ];
}

/** Lists the changes of a memory entry: planners read it. */
export function listMemoryChanges(before: MemoryEntry | null, after: MemoryEntry): readonly IncomingChange[] {
  const text = ({ kind, title, notes }: MemoryEntry): string => toOneLine(`${kind}: ${title}: ${notes}`, longest);
  const { session, task } = after;
  return [{ session, about: task ?? '', what: 'memory', from: before && text(before), to: text(after) }];
}

const longest = 120;

function differing(
  place: Pick<IncomingChange, 'session' | 'about'>,
  before: Facts,
  after: Facts,
): readonly IncomingChange[] {
  return Object.keys(after).flatMap((what): readonly IncomingChange[] => {
    const [from = null, to = null] = [before[what], after[what]];
    return from === to
      ? []
      : [{ ...place, what, from: from && toOneLine(from, longest), to: to && toOneLine(to, longest) }];
  });
}

function textOf(value: unknown): string {
  return toOneLine(typeof value === 'string' ? value : JSON.stringify(value), longest);
}
