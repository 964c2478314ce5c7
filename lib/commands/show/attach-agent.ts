import { openStreamView, type StreamLine } from '../../agents/get-adapter.ts';
import { findLivingAgent } from '../../cell/run/agent-registry.ts';
import { followStream } from '../../cell/run/stream-log.ts';
import { streamFile } from '../../cell/run-folder.ts';
import { auditFile } from '../../cell/watcher/audit-log.ts';
import { agentNotRunning } from '../../domain/bad-input.ts';
import type { AgentId } from '../../domain/ids.ts';
import type { AuditLine } from '../../domain/policy.ts';
import type { RegisteredAgent } from '../../domain/ports/agent-port.ts';
import type { Io } from '../../domain/shown/command.ts';
import { renderBlockedCall } from '../../ui/render/render-calls.ts';
import { visibleText } from '../../ui/text/visible-text.ts';
import type { Reading } from '../open/read-state.ts';
import { openBlockedCalls } from './blocked-calls.ts';

/**
 * Shows what an agent says from its beginning, and below each call of it that its watcher refused that it was,
 * until it has ended or the person leaves; the agent doesn't notice. With --json each line it printed as
 * `{agent, line}`, and a refused call as `{agent, blocked: {tool, target, rule, details}}`.
 */
export async function attachTo(
  { git, output }: Reading,
  { id, agent, io }: { readonly id: AgentId; readonly agent: RegisteredAgent | null; readonly io: Io },
): Promise<number> {
  const { commonDir } = git.repository;
  const view = openStreamView(agent?.worktree ?? '/');
  const blocked = openBlockedCalls(auditFile(commonDir, id));
  const tell = (calls: readonly AuditLine[]): void => {
    for (const { tool, target, rule, details } of calls) {
      output.jsonLine({ agent: id, blocked: { tool, target, rule, details } });
      for (const line of renderBlockedCall({ tool, target, rule, details, count: 1 }, output.style))
        output.result(line);
    }
  };
  const show = (lines: readonly StreamLine[]): void => {
    for (const { raw, shown } of lines) {
      output.jsonLine({ agent: id, line: raw });
      for (const line of shown) {
        output.result(visibleText(line));
        blocked.see(line);
      }
      tell(blocked.next());
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
  tell(blocked.rest());
  if (io.signal?.aborted !== true) output.info(`${id} has ended.`);
  return 0;
}
