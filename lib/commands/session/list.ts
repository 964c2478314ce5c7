import type { Session } from '../../domain/state/session.ts';
import { titleOf } from '../../domain/state/session-facts.ts';
import type { Task } from '../../domain/state/task.ts';
import { renderSessions } from '../../ui/render/render-session.ts';
import { formatCount } from '../../util/format-figures.ts';
import type { Reading } from '../open/read-state.ts';

/** `git flame session list`: the newest first; archived ones with --all alone. */
export async function listSessions(
  { store, output, meant }: Pick<Reading, 'store' | 'output' | 'meant'>,
  isAll: boolean,
): Promise<number> {
  const snapshot = await store.snapshot();
  const archived = snapshot.sessions.filter(isArchived).length;
  const archive = archived > 0 && isAll ? await store.archive() : snapshot;
  const current = meant.pick(snapshot)?.id;
  const listed = snapshot.sessions
    .filter((session) => isAll || !isArchived(session))
    .map((named) => {
      const home = isArchived(named) ? archive : snapshot;
      const session = home.sessions.find(({ id }) => id === named.id) ?? named;
      return { session, tasks: home.tasksOf(named.id), isCurrent: named.id === current };
    })
    .reverse();
  output.json({ sessions: listed.map(toJson) });
  output.result(renderSessions(listed, output.style));
  if (archived > 0 && !isAll)
    output.info(`${formatCount(archived, 'archived session')} not shown: git flame session list --all`);
  return 0;
}

interface Listed {
  readonly session: Session;
  readonly tasks: readonly Task[];
  readonly isCurrent: boolean;
}

function toJson({ session, tasks, isCurrent }: Listed): object {
  return {
    id: session.id,
    title: titleOf(session),
    objective: session.objective,
    state: session.state,
    is_current: isCurrent,
    is_archived: isArchived(session),
    base_branch: session.base_branch,
    cycle: session.cycle,
    wave: session.wave,
    created_by: session.created_by,
    created_at: session.created_at,
    updated_at: session.updated_at,
    cost_usd: session.cost_usd,
    tokens: session.tokens,
    tasks: countByStatus(tasks),
  };
}

function isArchived({ archived_at: at }: Session): boolean {
  return at !== undefined;
}

function countByStatus(tasks: readonly Task[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of tasks) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
