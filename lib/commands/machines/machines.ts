import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import { listMachines } from '../../domain/shown/machines.ts';
import { readMachines } from '../../store/shared/read-machines.ts';
import { pickRemote } from '../../store/sync/pick-remote.ts';
import { renderMachines } from '../../ui/render/render-machines.ts';
import { gitHere } from '../open/git-here.ts';
import { withState } from '../open/read-state.ts';

/** `git flame machines`: who works on the session, what each holds, and since when, as the remote has it now. Only reads. */
export function run(args: CommandArgs<'machines'>, io: Io): Promise<number> {
  return withState(args, io, async ({ git, store, meant, output }) => {
    const context = gitHere(git, io);
    const remote = await pickRemote(context, args.positionals[0] ?? null);
    const { commonDir, objectFormat } = git.repository;
    const session = meant.pick(await store.raw.snapshot());
    const found = await readMachines(
      { context, commonDir, objectFormat },
      { remote, session: session?.id ?? null },
    );
    const machines = listMachines(found);
    output.json({ schema_version: 1, remote, session: found.session?.id ?? null, machines });
    output.result(
      renderMachines({ remote, session: found.session?.id ?? null, machines }, output.style).join('\n'),
    );
    return 0;
  });
}
