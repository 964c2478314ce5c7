import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  listDecisionsInSession,
  toLeftNoteDecision,
  toTaskPlanDecision,
  toTaskStateDecision,
  toVerdictDecision,
} from '../../../lib/core/admission/make-decisions.ts';
import { isWholeStateOwn } from '../../../lib/core/admission/own-versions.ts';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import type { Snapshot } from '../../../lib/domain/ports/store-port.ts';
import { type BlackboardPage, makeBlackboardNote } from '../../../lib/domain/state/blackboard.ts';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';
import type { DecisionLog, LoggedDecision } from '../../../lib/domain/state/decision-log.ts';
import type { Session } from '../../../lib/domain/state/session-schema.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import type { Verdict } from '../../../lib/domain/state/verdict.ts';
import { canonicalDigest } from '../../../lib/util/canonical-digest.ts';
import { sampleSession, sampleSessionId, sampleVerdict } from '../../store/sample.ts';
import { alterTask, makeTask } from '../../support/tasks.ts';

// TRU-2: a state that holds one decision of another clone is never read as it is.

interface Parts {
  readonly session: Session;
  readonly tasks: readonly Task[];
  readonly verdicts: readonly Verdict[];
  readonly page: BlackboardPage;
  readonly problems: Snapshot['problems'];
}

const at = '2026-02-06T14:30:22.000Z';
const one = parseObjectId('1'.repeat(40));
const two = parseObjectId('2'.repeat(40));

const changeset: Changeset = {
  ...{ id: '1-main', group: 'main', tasks: [], works: [], missing: [], depends_on: [], state: 'waiting' },
  ...{ base: one, parent: one, commit: two, diagnostics: [], reason: null, decided_by: null },
  ...{ landed_commit: null, diffstat: { files: 0, insertions: 0, deletions: 0 } },
};

function noteBy(by: string) {
  return makeBlackboardNote({ text: 'tests need TZ=UTC', by, at, place: null, tasks: [], paths: [] });
}

const task = makeTask('a');
const dropped = makeTask('b', { status: 'dropped', reason: 'not wanted' });
const session = sampleSession(sampleSessionId, { changesets: [changeset] });
const page: BlackboardPage = { v: 1, rev: 1, session: sampleSessionId, task: null, notes: [noteBy('Lea')] };
const own: Parts = { session, tasks: [task, dropped], verdicts: [sampleVerdict(two)], page, problems: [] };

function decisionsOf(parts: Parts): readonly LoggedDecision[] {
  return [
    ...listDecisionsInSession(parts.session),
    ...parts.tasks.flatMap((each) => [toTaskPlanDecision(each), toTaskStateDecision(each)]),
    ...parts.verdicts.map(toVerdictDecision),
    ...parts.page.notes.map((note) => toLeftNoteDecision(parts.page, note)),
  ];
}

/** Whether a state is taken for own that differs so from what was decided here. */
function isOwn(change: Partial<Parts>): boolean {
  const parts = { ...own, ...change };
  const known = new Set(decisionsOf(own).map((decision) => canonicalDigest(decision)));
  const decided = {
    refresh: () => undefined,
    has: (decision: LoggedDecision) => known.has(canonicalDigest(decision)),
  } as DecisionLog;
  const snapshot = {
    ...{ sessions: [parts.session], problems: parts.problems },
    tasksOf: () => parts.tasks,
    verdictsOf: () => parts.verdicts,
    blackboardOf: () => [parts.page],
  };
  return isWholeStateOwn(snapshot as unknown as Snapshot, decided);
}

test('TRU-2 a state in which everything was decided here is own', () => {
  assert.ok(isOwn({}));
});

const changed = (change: Partial<Session>): Partial<Parts> => ({ session: { ...session, ...change } });
const unreadable = { ref: 'refs/blueflame/tasks' as never, object: one, key: two, message: 'is no JSON' };
const foreign: Readonly<Record<string, Partial<Parts>>> = {
  'what is asked of a task': { tasks: [alterTask(task, { description: 'Something else.' }), dropped] },
  'how a task stands': { tasks: [alterTask(task, { retry_count: 2 }), dropped] },
  'a task more': { tasks: [task, dropped, makeTask('c')] },
  'the end of a task': { tasks: [alterTask(task, { status: 'dropped', reason: 'forged' }), dropped] },
  'a verdict': { verdicts: [...own.verdicts, sampleVerdict(two, { status: 'fail' })] },
  'a note for later tasks': { page: { ...page, notes: [...page.notes, noteBy('Otto')] } },
  'a note that can not be read': { problems: [unreadable] },
  'an objective': changed({ objective: 'Another' }),
  'the end of a session': changed({ state: 'ended' }),
  'a raised limit': changed({ raised_limit: 100 }),
  'a note for the next plan': changed({ replan_notes: 'do more' }),
  'a work tree to bring along': changed({ checkout: { from: one, to: two, place: 'here' } }),
  'a pause of a service': changed({ pauses: [{ adapter: 'claude', until: at, why: 'so' }] }),
  'a changeset': changed({ changesets: [{ ...changeset, commit: one }] }),
  'an approval': changed({ changesets: [{ ...changeset, state: 'approved', decided_by: 'Lea' }] }),
  'a landing': changed({ changesets: [{ ...changeset, state: 'landed', landed_commit: one }] }),
  'a session with machines': changed({
    machines: { lead: 'x', remote: 'origin', term: 1, lease_ms: 1, renew_ms: 1 },
  }),
};

for (const [what, change] of Object.entries(foreign)) {
  test(`TRU-2 ${what} from elsewhere makes a state no own one`, () => {
    assert.not(isOwn(change));
  });
}

test('TRU-2 a task from elsewhere counts in a session that ended too', () => {
  const ended = { ...session, state: 'ended' as const };
  const planted = makeTask('c', { status: 'dropped', reason: 'x' });
  assert.not(isOwn({ session: ended, tasks: [...own.tasks, planted] }));
});

test.run();
