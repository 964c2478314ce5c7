import { listMachines, type ShownMachine } from '../../domain/shown/machines.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { listRefs } from '../notes/list-refs.ts';
import type { StoreOptions } from '../store-options.ts';
import { machinesRoot, stateRoot, trackingRef } from '../sync/remote.ts';
import { readCounted } from './machine-ref.ts';
import { readWitness } from './witness.ts';

/** Who works on a session, as this clone last saw it at the remote: nothing is asked of that now. */
export async function knownMachines(
  { context, commonDir }: Pick<StoreOptions, 'context' | 'commonDir'>,
  session: Session,
  tasks: readonly Task[],
): Promise<readonly ShownMachine[]> {
  const remote = session.machines?.remote;
  if (remote === undefined) return [];
  const refs = await listRefs(context, trackingRef(remote, `${machinesRoot}${session.id}/`));
  const catFile = new CatFile(context, commonDir);
  try {
    const counted = await readWitness(context, remote, session.id);
    const nameOf = (ref: string): string => ref.replace(trackingRef(remote, stateRoot), stateRoot);
    const signs = await Promise.all(
      [...refs].map(([ref, tip]) => readCounted(catFile, { ref, tip, counted: counted.get(nameOf(ref)) })),
    );
    return listMachines({ session, tasks, signs: signs.flatMap((sign) => sign ?? []) });
  } finally {
    await catFile.close();
  }
}
