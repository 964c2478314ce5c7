import type { LiveAgent } from './agent-port.ts';
import type { Changeset } from './changeset.ts';
import type { Session } from './session.ts';
import type { Task } from './task.ts';

/** What `git flame status --json` prints: stable, scripts rely on it. */
export interface Status {
  readonly schema_version: 1;
  readonly session: Pick<
    Session,
    'id' | 'objective' | 'base_branch' | 'landing' | 'cycle' | 'wave' | 'state' | 'cost_usd' | 'tokens'
  > | null;
  readonly tasks: readonly Task[];
  readonly agents: readonly LiveAgent[];
  readonly changesets: readonly Pick<
    Changeset,
    'id' | 'group' | 'tasks' | 'state' | 'commit' | 'landed_commit'
  >[];
}

/** The status of a session; without one everything is empty. */
export function statusOf(
  session: Session | null,
  tasks: readonly Task[],
  agents: readonly LiveAgent[],
): Status {
  if (session === null) {
    return { schema_version: 1, session: null, tasks: [], agents: [], changesets: [] };
  }
  const { id, objective, base_branch, landing, cycle, wave, state, cost_usd, tokens } = session;
  const where = landing === undefined ? {} : { landing };
  return {
    schema_version: 1,
    session: { id, objective, base_branch, ...where, cycle, wave, state, cost_usd, tokens },
    tasks,
    agents,
    changesets: session.changesets.map((set) => ({
      id: set.id,
      group: set.group,
      tasks: set.tasks,
      state: set.state,
      commit: set.commit,
      landed_commit: set.landed_commit,
    })),
  };
}
