import type { SessionId } from '../../domain/ids.ts';
import type { Decision, DecisionLog } from '../../domain/state/decision-log.ts';
import type { MachineRole } from '../../domain/state/machine.ts';

/**
 * What counts of a session that machines share, beside what was decided here. Who leads lets machines do its tasks: how
 * far they are is believed, never that they ended, and each work is judged here before it lands. Who joined follows the
 * lead in where the session is, what has ended, what was found and built, how far the budget of all was raised, and
 * what they leave for all tasks; what a task's worker leaves counts with its work. What a machine itself may spend is not
 * raised by that, see engine/machines/reserve. What is asked of a task is neither's to change: that counts
 * only as it was approved here.
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
