import { openStreamView, type StreamLine } from '../../agents/stream-view.ts';
import { findLivingAgent } from '../../cell/run/agent-registry.ts';
import { followStream } from '../../cell/run/follow-stream.ts';
import { streamFile } from '../../cell/run-folder.ts';
import type { AgentId } from '../../domain/ids.ts';
import { agentNotRunning } from '../../domain/not-found.ts';
import type { RegisteredAgent } from '../../domain/ports/agent-port.ts';
import type { Io } from '../../domain/shown/io.ts';
import { visibleText } from '../../ui/text/visible-text.ts';
import type { Reading } from '../open/read-state.ts';

/**
 * Shows what an agent says from its beginning, until it has ended or the person leaves; the agent
 * doesn't notice. With --json each line it printed as `{agent, line}`.
 */
export async function attachTo(
  { git, output }: Reading,
  { id, agent, io }: { readonly id: AgentId; readonly agent: RegisteredAgent | null; readonly io: Io },
): Promise<number> {
  const { commonDir } = git.repository;
  const view = openStreamView(agent?.worktree ?? '/');
  const show = (lines: readonly StreamLine[]): void => {
    for (const { raw, shown } of lines) {
      output.json({ agent: id, line: raw });
      for (const line of shown) output.result(visibleText(line));
    }
  };
  await followStream(streamFile(commonDir, id), {
    isLive: () => findLivingAgent(commonDir, id) !== null,
    signal: io.signal ?? new AbortController().signal,
    onText: (text) => show(view.push(text)),
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? agentNotRunning(id, { isKept: false }) : error;
  });
  show(view.rest());
  if (io.signal?.aborted !== true) output.info(`${id} has ended.`);
  return 0;
}
