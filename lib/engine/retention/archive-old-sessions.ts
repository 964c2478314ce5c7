import { listSessionsToArchive } from '../../core/changesets/reopen-session.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { GitCells } from '../../domain/ports/git-cells.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { errorMessage } from '../../util/error-text.ts';
import type { RecordContext } from '../record-changes.ts';
import { inform, type RunContext, type WithGit } from '../run-context.ts';

/** The sessions that are more than `retention.sessions` keeps at hand. */
export async function listSessionsPastRetention(
  context: Pick<RunContext, 'config' | 'store'> & WithGit<GitCells>,
): Promise<readonly SessionId[]> {
  return (await picker(context))(await context.store.snapshot());
}

/**
 * Moves them out of what every command reads, at the end of a session; they stay readable by name. An error is only
 * reported, the next session tries again.
 */
export async function archiveOldSessionsQuietly(context: RecordContext & Pick<RunContext, 'git'>): Promise<void> {
  try {
    const pick = await picker(context);
    if (pick(await context.store.snapshot()).length === 0) return;
    const moved = await context.store.moveToArchive(pick, context.gates.person);
    if (moved.length > 0) inform(context, `${countOf(moved)} archived; git flame status --session ${moved[0]}`);
  } catch (error) {
    inform(context, `Old sessions could not be archived: ${errorMessage(error)}`);
  }
}

async function picker(
  context: Pick<RunContext, 'config'> & WithGit<GitCells>,
): Promise<(snapshot: Snapshot) => readonly SessionId[]> {
  const cells = await context.git.cells();
  const busy = new Set(cells.flatMap(({ subject }) => subject?.session ?? []));
  return (snapshot) => listSessionsToArchive(snapshot, { keep: context.config.retention.sessions, busy });
}

function countOf(sessions: readonly SessionId[]): string {
  return sessions.length === 1 ? 'An old session was' : `${sessions.length} old sessions were`;
}
