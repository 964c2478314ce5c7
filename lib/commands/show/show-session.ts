import { readLiveAgents } from '../../cell/agent-registry.ts';
import { statusOf } from '../../domain/status.ts';
import { renderSession } from '../../ui/render-session.ts';
import { renderStatus } from '../../ui/render-status.ts';
import { askingPerson, nextCommand } from '../wiring/next-command.ts';
import { showLong } from '../wiring/show-long.ts';
import type { Showing } from './showing.ts';

/** A session from its objective to what was decided and spent. */
export async function showSession({ io, reading, snapshot, session, tasks }: Showing): Promise<number> {
  const { git, output } = reading;
  const isCurrent = snapshot.current?.id === session.id;
  const live = isCurrent ? readLiveAgents(git.repository.commonDir) : [];
  output.json(session);
  const status = renderStatus(statusOf(session, tasks, live), output.style, {
    now: new Date(),
    next: nextCommand(session, tasks, await askingPerson(git, tasks)),
    more: renderSession(session, output.style),
  });
  await showLong(output, io, status);
  return 0;
}
