import { leaveHint } from '../../cell/run/hints.ts';
import { hintRefusalReasons } from '../../domain/agent-messages.ts';
import { emptyBoardState } from '../../domain/view-models/board-view.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { GracefulStop } from '../../engine/graceful-stop.ts';
import type { ConfirmedLiveAction } from '../../ui/live/live-keys.ts';
import type { LiveView } from '../../ui/live/live-view.ts';
import { errorMessage } from '../../util/error-text.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import type { CurrentConfig } from './run-config.ts';

interface LiveParts {
  readonly reading: ReadContext;
  readonly current: CurrentConfig;
  readonly gracefulStop: GracefulStop;
}

/** The live view of a command that works; null where there is no terminal to draw on, or it is not wanted. */
export async function openLive(io: Io, { reading, current, gracefulStop }: LiveParts): Promise<LiveView | null> {
  if (!reading.commandLine.wantsLive || !canDraw(io)) return null;
  // Loaded only where it is shown.
  const { LiveView } = await import('../../ui/live/live-view.ts');
  const { streamAgentActivity } = await import('../context/agent-stream.ts');
  const { openSessionReader } = await import('../session-view/open-session-reader.ts');
  const { commonDir } = reading.git.repository;
  const reader = openSessionReader(reading, io, { config: () => current.loaded.config });
  return new LiveView(io, {
    style: reading.output.errorStyle,
    look: async () => ({ ...emptyBoardState, ...(await reader.read(null)) }),
    follow: (agent, hear, signal) => streamAgentActivity(commonDir, agent, { hear, signal }),
    readDiff: (task) => readTaskDiff(reading, task),
    act: (order) => follow(order, { reading, current, gracefulStop }).catch(errorMessage),
  });
}

/** Lines of a diff that are kept on the screen. */
const mostDiffLines = 5_000;

/** What a task has changed, as far as it was accepted. */
async function readTaskDiff({ store, selected, git }: ReadContext, id: string): Promise<string> {
  const snapshot = await store.snapshot();
  const session = selected.pick(snapshot);
  const task = session === null ? undefined : snapshot.tasksOf(session.id).find((one) => one.id === id);
  const { commit = null, start_commit: start = null } = task ?? {};
  if (commit === null || start === null) return `${id} has no accepted work yet.`;
  const lines = (await git.diffText(start, commit)).split('\n');
  if (lines.join('').trim() === '') return 'No changes.';
  const rest = lines.length - mostDiffLines;
  return [
    ...lines.slice(0, mostDiffLines),
    ...(rest > 0 ? [`… ${rest} more lines: git flame show ${id} --diff`] : []),
  ].join('\n');
}

async function follow(
  order: ConfirmedLiveAction,
  { reading, current, gracefulStop }: LiveParts,
): Promise<string | null> {
  if (order.kind === 'wind-down') {
    gracefulStop.ask();
    return null;
  }
  const { agent } = order;
  const by = await reading.git.identity();
  if (order.kind === 'hint') {
    const left = leaveHint(reading.git.repository.commonDir, agent, { by, text: order.text });
    return left.kind === 'left' ? `message left: ${order.text}` : `message refused: ${hintRefusalReasons[left.why]}`;
  }
  // An agent that has just ended by itself need not be stopped.
  await current.agents.stop(agent, { by, retry: order.retry });
  return null;
}

function canDraw({ stderr, env }: Io): boolean {
  if (stderr.isTTY !== true) return false;
  // A pager has the screen.
  return (stderr.columns ?? 0) > 0 && env.TERM !== 'dumb' && env.GIT_PAGER_IN_USE !== 'true';
}
