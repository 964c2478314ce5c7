import { FlameError } from '../../domain/flame-error.ts';
import { type SharedRole, sharedRoles } from '../../domain/state/machine.ts';

/** Roles as they were typed. Throws FlameError `machine-role`. */
export function readRoles(typed: readonly string[]): readonly SharedRole[] {
  const known = typed.map((text) => ({ text, role: sharedRoles.find((role) => role === text) }));
  const wrong = known.find(({ role }) => role === undefined);
  if (wrong === undefined && typed.length > 0) return sharedRoles.filter((role) => typed.includes(role));
  throw new FlameError({
    kind: 'usage',
    code: 'machine-role',
    message: `A machine has no role ${JSON.stringify(wrong?.text ?? '')}: ${sharedRoles.join(', ')}.`,
    hints: ['git flame work --join --role work,validate'],
  });
}

/** Parses a machine's budget. Throws FlameError `machine-budget`. */
export function readBudget(typed: string | null): number | null {
  if (typed === null) return null;
  const amount = Number(typed.replace(/^\$/, ''));
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new FlameError({
    kind: 'usage',
    code: 'machine-budget',
    message: `A machine can't spend ${JSON.stringify(typed)}: it takes an amount above 0, in the unit of the session's budget.`,
    hints: ['git flame work --join --budget 5'],
  });
}
