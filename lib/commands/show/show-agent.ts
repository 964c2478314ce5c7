import type { LiveAgent } from '../../domain/ports/agent-port.ts';
import type { AgentRun } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { renderAgent } from '../../ui/render/render-agent.ts';
import { showLong } from '../open/show-long.ts';
import { callsOf } from './agent-calls.ts';
import type { Showing } from './showing.ts';

interface ShownAgent {
  readonly id: string;
  /** null for an agent that cost nothing and has ended: its task has its story. */
  readonly run: AgentRun | LiveAgent | null;
  readonly task: Task | null;
}

/** One agent: what it worked on, for how long and for how much, and what its watcher blocked. */
export async function showAgent({ io, reading }: Showing, { id, run, task }: ShownAgent): Promise<number> {
  const { git, output } = reading;
  const calls = callsOf(git.repository.commonDir, [id]);
  const attempts = (task?.history ?? []).filter(({ agent_id }) => agent_id === id);
  const taskId = run?.task_id ?? task?.id ?? null;
  const next = [`git flame agent attach ${id}`, ...(taskId === null ? [] : [`git flame show ${taskId}`])];
  output.json({ agent: id, run, task: taskId, attempts, calls, next });
  const shown = { id, run, task: taskId, attempts, calls, next };
  await showLong(output, io, renderAgent(shown, output.style, new Date()));
  return 0;
}
