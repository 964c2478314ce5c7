import { toMachineTrustDecision } from '../../core/admission/make-decisions.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import { type JoinedMachineRole, joinedMachineRoles } from '../../domain/state/machine-schemas.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import type { ShownMachine } from '../../domain/view-models/listed-machines.ts';
import { listMachinesAtRemote } from '../../store/remote-session/list-machines.ts';
import { chooseRemote } from '../../store/sync/remote-refs.ts';
import { renderMachines, renderTrustCommands } from '../../ui/render/render-machines.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { findGitContextHere, withRepositoryState } from '../context/open-read-context.ts';

/**
 * `git flame machines`: machines of the session, the claims of each, and since when, as the remote has it now. Changes
 * nothing there; --trust and --distrust record the person's trust in a machine.
 */
export function run(args: CommandArgs<'machines'>, io: Io): Promise<number> {
  const wish = readWish(args);
  return withRepositoryState(args, io, async ({ git, store, selected, output, decided }) => {
    const context = findGitContextHere(git, io);
    const remote = await chooseRemote(context, args.positionals[0] ?? null);
    const { commonDir, objectFormat } = git.repository;
    const session = selected.pick(await store.raw.snapshot());
    const { session: shared, machines } = await listMachinesAtRemote(
      { context, commonDir, objectFormat },
      { remote, session: session?.id ?? null },
    );
    if (shared === null && wish !== null) throw nothingShared(remote);
    const shown = { remote, session: shared?.id ?? null, machines };
    const said = shared === null || wish === null ? null : trustMachine(decided, shared, { machines, wish });
    const list = [...renderMachines(shown, output.style), ...renderTrustCommands(machines, output.style)];
    output.json(shown);
    // The list shows whom the lead trusts from its next look on.
    output.result(said ?? list.join('\n'));
    return 0;
  });
}

function readWish({ options: { trust, distrust } }: CommandArgs<'machines'>): TrustWish | null {
  if (trust !== null && distrust !== null) throw bothWays();
  const name = trust ?? distrust;
  return name === null ? null : { name, isGiven: trust !== null };
}

function bothWays(): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'trust-both-ways',
    message: '--trust and --distrust exclude each other.',
    hints: ['git flame machines --trust NAME', 'git flame machines --distrust NAME'],
  });
}

function nothingShared(remote: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'nothing-shared',
    message: `No session is shared through ${remote}.`,
    hints: [`git flame run --remote ${shellQuote(remote)}`],
  });
}

interface TrustWish {
  readonly name: string;
  /** Whether it is given, or taken back. */
  readonly isGiven: boolean;
}

/**
 * Records or takes back trust in a machine's key for one session: another machine of its name isn't trusted. Returns
 * the text to print. Throws FlameErrors `no-machine` and `no-machine-key`.
 */
function trustMachine(
  decided: DecisionLog,
  session: Session,
  { machines, wish }: { readonly machines: readonly ShownMachine[]; readonly wish: TrustWish },
): string {
  const { machine, key } = findMachine(machines, wish.name);
  if (key === null) throw noKey(machine);
  const decision = toMachineTrustDecision(session, key);
  if (wish.isGiven) decided.record([decision]);
  else decided.supersede([decision]);
  return wish.isGiven
    ? `Verdicts of ${machine} count in ${session.id} (key ${key}).`
    : `Verdicts of ${machine} no longer count in ${session.id}. What counted already stays.`;
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
    message: `${machine} sends no heartbeat with a key, so nothing proves what comes from it.`,
    hints: ['git flame machines', 'On that machine, with this version: git flame work --join'],
  });
}

/** Roles as they were typed. Throws FlameError `machine-role`. */
export function parseMachineRoles(typed: readonly string[]): readonly JoinedMachineRole[] {
  const known = typed.map((text) => ({ text, role: joinedMachineRoles.find((role) => role === text) }));
  const wrong = known.find(({ role }) => role === undefined);
  if (wrong === undefined && typed.length > 0) return joinedMachineRoles.filter((role) => typed.includes(role));
  throw new FlameError({
    kind: 'usage',
    code: 'machine-role',
    message: `A machine has no role ${JSON.stringify(wrong?.text ?? '')}. The roles are ${joinedMachineRoles.join(', ')}.`,
    hints: ['git flame work --join --role work', 'git flame work --join --role validate'],
  });
}

/** Parses a machine's budget. Throws FlameError `machine-budget`. */
export function parseMachineBudget(typed: string | null): number | null {
  if (typed === null) return null;
  const amount = Number(typed.replace(/^\$/, ''));
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new FlameError({
    kind: 'usage',
    code: 'machine-budget',
    message: `${JSON.stringify(typed)} is not a budget: write an amount above 0, in the unit of the session's budget.`,
    hints: ['git flame work --join --budget 5'],
  });
}
