import { machineDecision } from '../../core/admission/decisions.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ShownMachine } from '../../domain/shown/machines.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { SharedRole } from '../../domain/state/machine.ts';
import type { Session } from '../../domain/state/session.ts';

export interface TrustWish {
  readonly name: string;
  readonly roles: readonly SharedRole[];
  /** Whether it is given, or taken back. */
  readonly isGiven: boolean;
}

/**
 * Records or takes back trust in a machine's key in some roles, for one session: another machine of its name isn't
 * trusted. Returns the text to print. Throws FlameErrors `no-machine`, `no-machine-key`, `work-needs-no-trust`.
 */
export function trustMachine(
  decided: DecisionLog,
  session: Session,
  { machines, wish }: { readonly machines: readonly ShownMachine[]; readonly wish: TrustWish },
): string {
  const { machine, key } = findMachine(machines, wish.name);
  if (wish.roles.includes('work')) throw needsNoTrust();
  if (key === null) throw noKey(machine);
  const decisions = wish.roles.map((role) => machineDecision(session, key, role));
  if (wish.isGiven) decided.record(decisions);
  else decided.supersede(decisions);
  const roles = wish.roles.join(', ');
  return wish.isGiven
    ? `What ${machine} says counts here, for ${session.id}: ${roles} (key ${key}).`
    : `What ${machine} says counts here no more, for ${session.id}: ${roles}. What counted already stays.`;
}

function findMachine(machines: readonly ShownMachine[], name: string): ShownMachine {
  const others = machines.filter(({ role }) => role !== 'lead');
  const found = others.find(({ machine }) => machine === name);
  if (found !== undefined) return found;
  throw new FlameError({
    kind: 'refused',
    code: 'no-machine',
    message: `No machine named ${name} works on the session.`,
    hints: ['git flame machines', ...others.map(({ machine }) => `git flame machines --trust ${machine}`)],
  });
}

function noKey(machine: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-machine-key',
    message: `${machine} gives no sign of life with a key, so nothing says that it is the one that speaks.`,
    hints: ['git flame machines', 'On that machine, with this version: git flame work --join'],
  });
}

function needsNoTrust(): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'work-needs-no-trust',
    message: 'To work on tasks no trust is needed: each work is judged before it lands.',
    hints: ['git flame machines --trust NAME --role validate,merge,review'],
  });
}
