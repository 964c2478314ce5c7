import { machineDecision } from '../../core/admission/decisions.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { SeenMachine } from '../../domain/ports/sharing-port.ts';
import type { SharedRole } from '../../domain/state/machine.ts';
import type { Session } from '../../domain/state/session.ts';
import { record, viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';

type Trusting = Pick<Workshop, 'config' | 'now' | 'decided' | 'sharing'>;

/** Whether what the holder of a key says in a role counts here: by this clone's person, or by the configuration. */
export function isTrusted(
  { config, now, decided }: Pick<Trusting, 'config' | 'now' | 'decided'>,
  session: Pick<Session, 'id'>,
  { key, role }: { readonly key: string; readonly role: SharedRole },
): boolean {
  const today = now().toISOString().slice(0, 10);
  const named = config.machines.trusted.some(
    (one) => one.key === key && one.roles.includes(role) && (one.until === undefined || one.until >= today),
  );
  return named || decided.has(machineDecision(session, key, role));
}

/** True if this machine may act in a role: a lead in all of them, others as started and, beyond tasks, as trusted. */
export function mayHere(
  { sharing, place }: Pick<Workshop, 'sharing' | 'place'>,
  { machines }: Pick<Session, 'machines'>,
  role: SharedRole,
): boolean {
  if (sharing === undefined || sharing.role === 'lead') return true;
  if (!sharing.roles.includes(role)) return false;
  return (
    role === 'work' ||
    machines?.trusted?.some((one) => one.machine === place && one.roles.includes(role)) === true
  );
}

/** Machines that are there and that this lead has do something beside tasks. */
export function trustedMachines(
  workshop: Trusting,
  session: Pick<Session, 'id'>,
  role: SharedRole,
): readonly SeenMachine[] {
  const there = workshop.sharing?.machines() ?? [];
  return there.filter(({ sign, state }) => {
    if (state === 'gone' || sign?.key === undefined || !sign.roles.includes(role)) return false;
    return isTrusted(workshop, session, { key: sign.key, role });
  });
}

/**
 * Publishes which roles beside tasks this lead trusts each machine in. `without` is kept back for now. Trust itself is
 * looked up in this clone each time: another clone gains nothing by writing this into the note.
 */
export async function tellTrusted(
  workshop: Workshop,
  id: SessionId,
  without: readonly SharedRole[] = [],
): Promise<void> {
  if (workshop.sharing?.role !== 'lead') return;
  workshop.decided.refresh();
  const roles = (['validate', 'merge', 'review'] as const).filter((role) => !without.includes(role));
  const found = new Map<string, SharedRole[]>();
  for (const role of roles)
    for (const { machine } of trustedMachines(workshop, { id }, role))
      if (machine !== null) found.set(machine, [...(found.get(machine) ?? []), role]);
  const trusted = [...found]
    .map(([machine, all]) => ({ machine, roles: all }))
    .sort((a, b) => (a.machine < b.machine ? -1 : 1));
  const isSaid = (session: Session): boolean =>
    JSON.stringify(session.machines?.trusted ?? []) === JSON.stringify(trusted);
  if (isSaid((await viewSession(workshop, id)).session)) return;
  await record(workshop, id, ({ session }) => {
    if (session.machines === undefined || isSaid(session)) return null;
    const { trusted: _, ...terms } = session.machines;
    const machines = trusted.length === 0 ? terms : { ...terms, trusted };
    return {
      session: { next: { ...session, machines }, subject: 'session: what machines are trusted with' },
    };
  });
}
