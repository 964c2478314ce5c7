import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  toLeftNoteDecision,
  toMachineTrustDecision,
  toRaisedLimitDecision,
  toSessionStateDecision,
  toTaskPlanDecision,
  toTaskStateDecision,
} from '../../../lib/core/admission/make-decisions.ts';
import { createSharedDecisionLog, isDecisionTrustedWhenShared } from '../../../lib/core/machines/machine-statement.ts';
import { parseSessionId } from '../../../lib/domain/ids.ts';
import { makeBlackboardNote } from '../../../lib/domain/state/blackboard.ts';
import type { DecisionLog } from '../../../lib/domain/state/decision-log.ts';
import { sampleSession } from '../../store/sample.ts';
import { testSession as id, makeTask } from '../../support/tasks.ts';

const session = sampleSession(id);
const other = parseSessionId('ses-20260301-080000-00ff');
const task = makeTask('task-001', { session: session.id });
const ended = makeTask('task-002', { session: session.id, status: 'dropped' });

test('TRU-2 what is asked of a task and another session count on no machine by themselves', () => {
  for (const role of ['lead', 'worker'] as const) {
    const shared = { session: session.id, role };
    assert.not(isDecisionTrustedWhenShared(toTaskPlanDecision(task), shared));
    // What all may spend is the lead's to say; what each machine may is not, see reserve-share.
    assert.is(isDecisionTrustedWhenShared(toRaisedLimitDecision(session, 100), shared), role === 'worker');
    assert.not(isDecisionTrustedWhenShared(toTaskStateDecision(task), { session: other, role }));
    assert.ok(isDecisionTrustedWhenShared(toTaskStateDecision(task), shared));
  }
});

test('TRU-2 who leads believes no machine that a task has ended, who joined follows the lead', () => {
  const [lead, worker] = (['lead', 'worker'] as const).map((role) => ({ session: session.id, role }));
  assert.not(lead && isDecisionTrustedWhenShared(toTaskStateDecision(ended), lead));
  assert.not(lead && isDecisionTrustedWhenShared(toSessionStateDecision(session), lead));
  assert.ok(worker && isDecisionTrustedWhenShared(toTaskStateDecision(ended), worker));
  assert.ok(worker && isDecisionTrustedWhenShared(toSessionStateDecision(session), worker));
});

test('QUE-3 TRU-2 notes come with the work of a machine, and from who leads to who joined', () => {
  const [lead, worker] = (['lead', 'worker'] as const).map((role) => ({ session: session.id, role }));
  const facts = { text: 'x', by: 'Lea', at: '2026-03-01T08:00:00.000Z', place: 'far', tasks: [], paths: [] };
  const [ofWorker, ofLead] = [task.id, null].map((about) =>
    toLeftNoteDecision({ session: session.id, task: about }, makeBlackboardNote(facts)),
  );
  assert.ok(lead && worker && ofWorker && ofLead);
  assert.equal([isDecisionTrustedWhenShared(ofWorker, lead), isDecisionTrustedWhenShared(ofLead, lead)], [true, false]);
  assert.ok(isDecisionTrustedWhenShared(ofWorker, worker) && isDecisionTrustedWhenShared(ofLead, worker));
});

test('the log of a shared session shows what is decided after they were made', () => {
  let revision = 1;
  const decided = {
    get revision() {
      return revision;
    },
    has: () => false,
  } as unknown as DecisionLog;
  const shared = createSharedDecisionLog(decided, { session: id, role: 'worker', isTrustedKey: () => false });
  assert.is(shared.revision, 1);
  revision = 2;
  assert.is(shared.revision, 2);
});

test('TRU-2 keys that the person named count in the log of a shared session, no others', () => {
  const decided = { revision: 1, has: () => false } as unknown as DecisionLog;
  const shared = createSharedDecisionLog(decided, { session: id, role: 'lead', isTrustedKey: (key) => key === 'mine' });
  const counts = ['mine', 'other'].map((key) => shared.has(toMachineTrustDecision({ id }, key)));
  assert.equal(counts, [true, false]);
});

test.run();
