import type { SessionId } from '../../domain/ids.ts';
import type { Decision, DecisionLog } from '../../domain/state/decision-log.ts';
import type { MachineRole } from '../../domain/state/machine.ts';

/**
 * Decides which decisions of a shared session count, beside those made here. A lead believes how far the tasks of other
 * machines are, never that they ended, and judges each work before it lands. A machine that joined follows its lead in
 * the session's state, ends, verdicts, changesets, the raised budget of all, and notes for all tasks; the notes of a
 * task's worker count with its work. The limit of one machine is not raised by that, see engine/machines/reserve. The
 * plan of a task may be changed by neither: it counts only as it was approved here.
 */
export function countsWhenShared(
  { kind, session, about, facts }: Decision,
  shared: { readonly session: SessionId; readonly role: MachineRole },
): boolean {
  if (session !== shared.session) return false;
  if (shared.role === 'worker') return followed.includes(kind);
  if (kind === 'note') return about !== '';
  return kind === 'standing' && facts.status !== 'merged' && facts.status !== 'dropped';
}

const followed: readonly Decision['kind'][] = [
  ...(['standing', 'course', 'landed', 'note', 'verdict', 'changeset', 'limit'] as const),
];

/** DecisionLog by that rule. */
export function sharedDecisionLog(
  decided: DecisionLog,
  shared: { readonly session: SessionId; readonly role: MachineRole },
): DecisionLog {
  return {
    ...decided,
    // It changes: a copy would say for ever that nothing was decided since.
    get revision() {
      return decided.revision;
    },
    has: (decision) => decided.has(decision) || countsWhenShared(decision, shared),
  };
}
