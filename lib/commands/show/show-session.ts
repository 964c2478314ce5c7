import { readLiveAgents } from '../../cell/run/agent-registry.ts';
import { listProposals } from '../../core/admission/list-proposals.ts';
import { statusOf } from '../../domain/shown/status.ts';
import { machineName } from '../../trust/clone-key.ts';
import { renderSession } from '../../ui/render/render-session.ts';
import { renderStatus } from '../../ui/render/render-status.ts';
import { renderProposals, renderUnverified } from '../../ui/render/render-unverified.ts';
import { showLong } from '../open/show-long.ts';
import { askingPerson, nextCommand } from '../waves/next-command.ts';
import { type Showing, unverifiedIn } from './showing.ts';

/** A session from its objective to what was decided and spent. */
export async function showSession(showing: Showing): Promise<number> {
  const { io, reading, snapshot, session, tasks } = showing;
  const { git, output, shown } = reading;
  const isCurrent = snapshot.current?.id === session.id;
  const live = isCurrent ? readLiveAgents(git.repository.commonDir) : [];
  const unverified = unverifiedIn(showing);
  output.json(unverified.length === 0 ? session : { ...session, doubts: unverified });
  const standing = snapshot.admitted(session.id);
  const proposals = listProposals(session, standing, snapshot);
  const status = renderStatus(statusOf(standing.session, tasks, live, { isText: true }), output.style, {
    now: new Date(),
    next: nextCommand(
      standing,
      await askingPerson(git, tasks),
      machineName({ env: io.env, commonDir: git.repository.commonDir }),
    ),
    more: [
      ...renderProposals(proposals),
      ...renderUnverified(unverified, output.style),
      ...renderSession(session, output.style),
    ],
  });
  await showLong(output, io, status);
  shown.note(session.id, session.changesets);
  return 0;
}
