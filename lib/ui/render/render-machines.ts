import { deriveSessionTitle } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { ShownMachine } from '../../domain/view-models/listed-machines.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

/** The machines of a session, one below the other, each with what it holds. */
export function renderMachines(
  {
    remote,
    session,
    machines,
  }: {
    readonly remote: string;
    readonly session: string | null;
    readonly machines: readonly ShownMachine[];
  },
  style: Style,
): readonly string[] {
  if (session === null) return [`No session is shared through ${toPrintableLine(remote)}.`];
  const none = `No machine works on ${session} at ${toPrintableLine(remote)}.`;
  return [
    ...(machines.length === 0 ? [none] : [`Machines of ${session} at ${toPrintableLine(remote)}`]),
    ...machines.flatMap((one) => renderOne(one, style)),
  ];
}

/** The command to trust a machine that offers to validate and isn't trusted yet. */
export function renderTrustCommands(machines: readonly ShownMachine[], style: Style): readonly string[] {
  const open = machines.find(
    ({ role, roles, trusted }) =>
      role !== 'lead' && roles?.includes('validate') === true && !trusted.includes('validate'),
  );
  if (open === undefined) return [];
  const name = toPrintableLine(open.machine);
  return [
    style.dim('  Work counts once its lead has judged it. To trust what a machine validates where you lead:'),
    style.dim(`    git flame machines --trust ${name}`),
  ];
}

function renderOne(one: ShownMachine, style: Style): readonly string[] {
  const sign =
    one.last_sign_at === null ? 'no heartbeat' : `last heartbeat ${toPrintableLine(one.last_sign_at)} by its clock`;
  const since = one.since === null ? '' : `, joined ${toPrintableLine(one.since)}`;
  const person = one.person === null ? '' : `  ${toPrintableLine(one.person)}`;
  const config = one.config === 'differs' ? ', different configuration' : '';
  const slots = one.slots === null ? '' : ` of ${one.slots}`;
  const head = `  ${style.bold(toPrintableLine(one.machine))}  ${one.role}${person}`;
  return [
    head,
    style.dim(`    ${sign}${since}${config}; ${formatCount(one.tasks.length, 'task')}${slots}`),
    ...(one.role === 'lead' ? [] : [`    ${rolesOf(one)}`]),
    ...one.tasks.map(
      ({ id, agent_id, claim, claimed_at: at }) =>
        `    ${id}  ${toPrintableLine(agent_id ?? 'a person')}, claim ${claim}, since ${toPrintableLine(at)}`,
    ),
    ...one.judges.map(({ id, commit, claim }) => `    ${id}  validates ${shortId(commit)}, claim ${claim}`),
  ];
}

/** `roles: work, validate (not trusted)` */
function rolesOf({ roles, trusted, key }: ShownMachine): string {
  if (roles === null) return 'roles: unknown';
  const names = roles.map((role) =>
    role === 'work' ? role : `${role} (${trusted.includes(role) ? 'trusted' : 'not trusted'})`,
  );
  return `roles: ${names.join(', ')}${key === null ? '' : `; key ${toPrintableLine(key)}`}`;
}

const mostShown = 5;

/** Sessions that are open beside the one shown, newest first, as lines: nothing else mentions them. */
export function renderOtherOpenSessions(
  sessions: readonly Pick<Session, 'id' | 'state' | 'title' | 'objective'>[],
  shown: Pick<Session, 'id'> | null,
): readonly string[] {
  const others = sessions.filter(({ id, state }) => state !== 'ended' && id !== shown?.id).reverse();
  if (others.length === 0) return [];
  const rows = others
    .slice(0, mostShown)
    .map((session) => `  git flame status --session ${session.id}  ${toPrintableLine(deriveSessionTitle(session))}`);
  const rest = others.length - rows.length;
  return ['', 'Also open', ...rows, ...(rest === 0 ? [] : [`  and ${rest} more`])];
}
