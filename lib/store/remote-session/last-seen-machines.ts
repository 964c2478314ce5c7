import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { listMachines, type ShownMachine } from '../../domain/view-models/listed-machines.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { listRefs } from '../notes/read-tips.ts';
import type { StoreOptions } from '../store-options.ts';
import { machinesRoot, trackingRef } from '../sync/remote-refs.ts';
import { readAuthenticHeartbeats } from './machine-ref.ts';

/** Lists the machines of a session as this clone last saw them at the remote, without asking it now. */
export async function listLastSeenMachines(
  { context, commonDir }: Pick<StoreOptions, 'context' | 'commonDir'>,
  session: Session,
  tasks: readonly Task[],
): Promise<readonly ShownMachine[]> {
  const remote = session.machines?.remote;
  if (remote === undefined) return [];
  const refs = await listRefs(context, trackingRef(remote, `${machinesRoot}${session.id}/`));
  const catFile = new CatFile(context, commonDir);
  try {
    return listMachines({ session, tasks, signs: await readAuthenticHeartbeats(catFile, refs) });
  } finally {
    await catFile.close();
  }
}
