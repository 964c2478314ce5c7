import type { Changeset } from '../../domain/state/changeset.ts';
import type { AgentRunRecord, BudgetReservation, Session } from '../../domain/state/session-schema.ts';
import { compareText } from '../../util/sort-and-group.ts';
import {
  combinePreferences,
  type MergedNote,
  type MergeSides,
  makeSidesReader,
  mergeById,
  mergeValue,
  type PreferenceOrder,
  pickLaterIsoTime,
  toSortedKeyJson,
} from './merge-values.ts';

// Where the session stands moves as one.
const courseKeys = [
  'base_branch',
  'base_commit',
  'landing',
  'config_digest',
  'cycle',
  'wave',
  'state',
  'replans',
  'proposal',
  'replan_notes',
  'sent_back',
  'checkout',
  'machines',
] as const satisfies readonly (keyof Session)[];
type Course = Pick<Session, (typeof courseKeys)[number]>;

const stateOrder = ['ended', 'active', 'stopped'];
const waveOrder = ['done', 'review', 'merge', 'validate', 'work', 'plan'];
const changesetOrder: readonly Changeset['state'][] = [
  'landed',
  'approved',
  'rejected',
  'conflict',
  'void',
  'deferred',
  'skipped',
  'waiting',
];

// The one that got further.
const preferCourse: PreferenceOrder<Course> = combinePreferences(
  (a, b) => Number(b.state === 'ended') - Number(a.state === 'ended'),
  (a, b) => b.cycle - a.cycle,
  (a, b) => waveOrder.indexOf(a.wave) - waveOrder.indexOf(b.wave),
  (a, b) => b.replans - a.replans,
  (a, b) => stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state),
);
const preferChangeset: PreferenceOrder<Changeset> = combinePreferences(
  (a, b) => Number(b.undone !== undefined) - Number(a.undone !== undefined),
  (a, b) => changesetOrder.indexOf(a.state) - changesetOrder.indexOf(b.state),
);
const preferArchived: PreferenceOrder<Session> = combinePreferences(
  (a, b) => Number(a.archived_at === undefined) - Number(b.archived_at === undefined),
  (a, b) => compareText(a.archived_at ?? '', b.archived_at ?? ''),
);
const byTime: PreferenceOrder<AgentRunRecord> = combinePreferences(
  (a, b) => compareText(a.ended_at, b.ended_at),
  (a, b) => compareText(a.started_at, b.started_at),
);

/**
 * One session that two clones worked on: symmetric, and associative over changes of one base. Runs, changesets and
 * decisions of both are there, what was spent is counted once. Without a base the side with more changes is preferred.
 */
export function mergeSessionNotes(base: Session | null, ours: Session, theirs: Session): MergedNote<Session> {
  if (ours.archived_at !== undefined || theirs.archived_at !== undefined) return mergeArchived(ours, theirs);
  const sides = makeSidesReader(base, ours, theirs);
  const moreChanges = base === null ? theirs.rev - ours.rev : 0;
  const choose = <Value>(get: (session: Session) => Value, prefer: PreferenceOrder<Value> = combinePreferences()) =>
    mergeValue(sides(get), moreChanges === 0 ? prefer : () => moreChanges);
  const course = choose(courseOf, preferCourse);
  const objective = choose((session) => session.objective);
  const raised = choose(
    (session) => session.raised_limit,
    (a, b) => (b ?? 0) - (a ?? 0),
  );
  const value: Session = {
    ...ours,
    ...course.value,
    ...mergeSpending(base, ours, theirs),
    rev: Math.max(ours.rev, theirs.rev),
    objective: objective.value,
    ...titled(choose(({ title }) => title).value),
    created_by: choose((session) => session.created_by).value,
    created_at: choose((session) => session.created_at).value,
    updated_at: pickLaterIsoTime(ours.updated_at, theirs.updated_at),
    estimate: choose((session) => session.estimate).value,
    raised_limit: raised.value,
    pauses: choose((session) => session.pauses).value,
    ...mergeSpentOn(ours, theirs),
    ...mergeReservations(sides((session) => session.reservations ?? [])),
    agents: mergeById(
      sides((session) => session.agents),
      { id: (run) => run.id, prefer: combinePreferences(), order: byTime },
    ),
    changesets: mergeById(
      sides((session) => session.changesets),
      { id: ({ id }) => id, prefer: preferChangeset, order: (a, b) => compareText(a.id, b.id) },
    ),
    gates: mergeById(
      sides((session) => session.gates),
      {
        id: toSortedKeyJson,
        prefer: combinePreferences(),
        order: combinePreferences((a, b) => compareText(a.at, b.at)),
      },
    ),
  };
  const lost = [
    ...(course.loser === null
      ? []
      : [{ what: 'wave', kept: describeCourse(course.value), lost: describeCourse(course.loser.value) }]),
    ...(objective.loser === null ? [] : [{ what: 'objective', kept: objective.value, lost: objective.loser.value }]),
  ];
  return { value, lost };
}

function titled(title: string | undefined): Pick<Session, 'title'> {
  return title === undefined ? {} : { title };
}

/**
 * An archived session stays as it was archived: what another clone did in it later is lost, and reported as
 * such.
 */
function mergeArchived(ours: Session, theirs: Session): MergedNote<Session> {
  const rev = Math.max(ours.rev, theirs.rev);
  const updated_at = pickLaterIsoTime(ours.updated_at, theirs.updated_at);
  const [left, right] = [
    { ...ours, rev, updated_at },
    { ...theirs, rev, updated_at },
  ];
  const value = preferArchived(left, right) <= 0 ? left : right;
  const other = value === left ? right : left;
  if (other.archived_at !== undefined) return { value, lost: [] };
  const lost = { what: 'archived', kept: value.archived_at ?? '', lost: describeCourse(courseOf(other)) };
  return { value, lost: [lost] };
}

/** A machine's own clone adds to what it spent: the larger is the later. */
function mergeSpentOn(ours: Session, theirs: Session): Pick<Session, 'spent_on'> {
  const [left, right] = [ours.spent_on ?? {}, theirs.spent_on ?? {}];
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  if (names.length === 0) return {};
  const largest = (name: string, key: 'cost_usd' | 'tokens'): number =>
    Math.max(left[name]?.[key] ?? 0, right[name]?.[key] ?? 0);
  const entries = names.map((name) => [name, { cost_usd: largest(name, 'cost_usd'), tokens: largest(name, 'tokens') }]);
  return { spent_on: Object.fromEntries(entries) };
}

/** Merges reservations: those one side added stay, those one side gave back are gone. */
function mergeReservations(sides: MergeSides<readonly BudgetReservation[]>): Pick<Session, 'reservations'> {
  const merged = mergeById(sides, {
    id: ({ agent }) => agent,
    prefer: combinePreferences(),
    order: (a, b) => compareText(a.agent, b.agent),
  });
  return merged.length === 0 ? {} : { reservations: merged };
}

function courseOf(session: Session): Course {
  return Object.fromEntries(courseKeys.map((key) => [key, session[key]])) as Course;
}

function describeCourse({ cycle, wave, state }: Course): string {
  return `${state} in wave ${wave} of cycle ${cycle}`;
}

type Spending = Pick<Session, 'cost_usd' | 'tokens' | 'spend'>;
interface Sums {
  readonly runs: number;
  /** Millionths of a dollar: whole numbers add up to the same in any order. */
  readonly microUsd: number;
  readonly tokens: number;
}

const nothing: Sums = { runs: 0, microUsd: 0, tokens: 0 };

/**
 * Merges the spending of both clones: what each added since the base, runs that both know counted once. Without a base:
 * the union of the runs, and the larger of the sums spent on runs that are no longer listed one by one.
 */
function mergeSpending(base: Session | null, ours: Session, theirs: Session): Spending {
  const total = merge(base, ours, theirs, null);
  const roles = [...new Set([...Object.keys(ours.spend), ...Object.keys(theirs.spend)])].sort();
  const spend = roles.map((role): [string, Spending['spend'][string]] => {
    const { runs, microUsd, tokens } = merge(base, ours, theirs, role);
    return [role, { runs, cost_usd: microUsd / 1e6, tokens }];
  });
  return { cost_usd: total.microUsd / 1e6, tokens: total.tokens, spend: Object.fromEntries(spend) };
}

/** The sums of one role; null: of the session. */
function merge(base: Session | null, ours: Session, theirs: Session, role: string | null): Sums {
  const runsOf = (session: Session): readonly AgentRunRecord[] =>
    session.agents.filter((run) => role === null || run.role === role);
  const [left, right] = [statedSums(ours, role), statedSums(theirs, role)];
  const known = new Set(theirs.agents.map(({ id }) => id));
  const old = new Set((base?.agents ?? []).map(({ id }) => id));
  const shared = sumOf(runsOf(ours).filter(({ id }) => known.has(id) && !old.has(id)));
  if (base !== null) return add(add(left, right), negative(add(statedSums(base, role), shared)));
  const [oursListed, theirsListed] = [sumOf(runsOf(ours)), sumOf(runsOf(theirs))];
  const unlisted = larger(add(left, negative(oursListed)), add(right, negative(theirsListed)));
  return add(unlisted, add(add(oursListed, theirsListed), negative(shared)));
}

function statedSums(session: Session, role: string | null): Sums {
  const stated = role === null ? { ...session, runs: 0 } : session.spend[role];
  if (stated === undefined) return nothing;
  return { runs: stated.runs, microUsd: toMicro(stated.cost_usd), tokens: stated.tokens };
}

function sumOf(runs: readonly AgentRunRecord[]): Sums {
  return runs.reduce(
    (sum, { cost_usd, tokens }) => add(sum, { runs: 1, microUsd: toMicro(cost_usd), tokens }),
    nothing,
  );
}

function add(a: Sums, b: Sums): Sums {
  return { runs: a.runs + b.runs, microUsd: a.microUsd + b.microUsd, tokens: a.tokens + b.tokens };
}

function negative({ runs, microUsd, tokens }: Sums): Sums {
  return { runs: -runs, microUsd: -microUsd, tokens: -tokens };
}

function larger(a: Sums, b: Sums): Sums {
  return {
    runs: Math.max(a.runs, b.runs),
    microUsd: Math.max(a.microUsd, b.microUsd),
    tokens: Math.max(a.tokens, b.tokens),
  };
}

function toMicro(usd: number): number {
  return Math.round(usd * 1e6);
}
