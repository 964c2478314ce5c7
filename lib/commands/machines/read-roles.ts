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
