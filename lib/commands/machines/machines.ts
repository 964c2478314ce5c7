import { FlameError } from '../../domain/flame-error.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { listMachines } from '../../domain/shown/machines.ts';
import { readMachines } from '../../store/shared/machine-ref.ts';
import { pickRemote } from '../../store/sync/remote.ts';
import { renderMachines, renderWays } from '../../ui/render/render-machines.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { gitHere } from '../open/git-here.ts';
import { withState } from '../open/read-state.ts';
import { readRoles } from './read-roles.ts';
import { type TrustWish, trustMachine } from './trust-machine.ts';

/**
 * `git flame machines`: machines of the session, the claims of each, and since when, as the remote has it now. Changes
 * nothing there; --trust and --distrust record the person's trust in a machine.
 */
export function run(args: CommandArgs<'machines'>, io: Io): Promise<number> {
  const wish = readWish(args);
  return withState(args, io, async ({ git, store, meant, output, decided }) => {
    const context = gitHere(git, io);
    const remote = await pickRemote(context, args.positionals[0] ?? null);
    const { commonDir, objectFormat } = git.repository;
    const session = meant.pick(await store.raw.snapshot());
    const found = await readMachines(
      { context, commonDir, objectFormat },
      { remote, session: session?.id ?? null },
    );
    const machines = listMachines(found);
    if (wish !== null) {
      if (found.session === null) throw nothingShared(remote);
      output.info(trustMachine(decided, found.session, { machines, wish }));
    }
    const shared = found.session?.id ?? null;
    const shown = { remote, session: shared, machines };
    output.json(shown);
    const lines = [...renderMachines(shown, output.style), ...renderWays(machines, output.style)];
    output.result(lines.join('\n'));
    return 0;
  });
}

function readWish({ options }: CommandArgs<'machines'>): TrustWish | null {
  const { trust, distrust, role } = options;
  const roles = role === null ? (['validate'] as const) : readRoles(role);
  if (trust !== null && distrust !== null) throw bothWays();
  if (trust !== null) return { name: trust, roles, isGiven: true };
  return distrust === null ? null : { name: distrust, roles, isGiven: false };
}

function bothWays(): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'trust-both-ways',
    message: 'A machine is trusted with something, or it is not: --trust and --distrust exclude each other.',
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
