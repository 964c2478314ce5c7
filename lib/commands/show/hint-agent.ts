import { statSync } from 'node:fs';
import { followStream } from '../../cell/run/agent-output-log.ts';
import { findLivingAgent } from '../../cell/run/agent-registry.ts';
import { leaveHint } from '../../cell/run/hints.ts';
import { auditFile, parseAudit } from '../../cell/watcher/audit-log.ts';
import { type Hint, hintRefusalReasons, longestHint } from '../../domain/agent-messages.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { agentNotRunningError } from '../../domain/input-errors.ts';
import type { RegisteredAgent } from '../../domain/ports/agent-port.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { requireTypedByPerson } from '../context/require-typed-by-person.ts';

interface HintArguments {
  readonly agent: RegisteredAgent;
  readonly text: string;
  /** Whether to wait until the hint is seen or missed. */
  readonly waits: boolean;
  readonly isDry: boolean;
  readonly io: Io;
}

/**
 * Sends a hint to a running agent, and waits until its model has begun to answer a request that holds it. Ends with 1
 * where the agent ended before. With --json one object: `{agent, task, hint, state}`, `state` one of `queued`, `seen`,
 * `missed`.
 */
export async function hintAgent(
  { git, output }: ReadContext,
  { agent, text, waits, isDry, io }: HintArguments,
): Promise<number> {
  requireTypedByPerson('Which messages a running agent receives', git.repository, io);
  const { commonDir } = git.repository;
  const { id, task_id: task } = agent;
  if (isDry) {
    output.json({ agent: id, task, hint: null, state: null });
    output.result(`Would message ${id}.`);
    return 0;
  }
  const audit = auditFile(commonDir, id);
  const skip = statSync(audit, { throwIfNoEntry: false })?.size ?? 0;
  const hint = leaveHintForAgent(commonDir, id, { by: await git.identity(), text });
  output.info(`Left for ${id}: it receives the message with its next request to the model.`);
  const state = waits ? await follow(commonDir, { id, hint, audit, skip, io }) : 'queued';
  output.json({ agent: id, task, hint, state });
  if (state === 'missed') throw missed(agent);
  output.result(
    state === 'seen'
      ? `${id} received the message: its model is answering a request that contains it.`
      : `${id} has not received the message yet. The live view and git flame log show when it does.`,
  );
  return 0;
}

/** Until it is known what became of the hint, the agent is gone, or the person leaves. */
async function follow(
  commonDir: string,
  at: {
    readonly id: string;
    readonly hint: string;
    readonly audit: string;
    readonly skip: number;
    readonly io: Io;
  },
): Promise<'queued' | 'seen' | 'missed'> {
  const known = new AbortController();
  const signal = at.io.signal === undefined ? known.signal : AbortSignal.any([known.signal, at.io.signal]);
  let state: 'seen' | 'missed' | null = null;
  let rest = '';
  await followStream(at.audit, {
    isLive: () => findLivingAgent(commonDir, at.id) !== null,
    signal,
    skip: at.skip,
    onText: (more) => {
      const lines = (rest + more).split('\n');
      rest = lines.pop() ?? '';
      const rule = parseAudit(lines).findLast(({ target }) => target === at.hint)?.rule;
      if (rule === undefined) return;
      state = rule === 'hint-missed' ? 'missed' : 'seen';
      known.abort();
    },
  });
  return state ?? (at.io.signal?.aborted === true ? 'queued' : 'missed');
}

function missed({ id, task_id }: RegisteredAgent): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'hint-missed',
    message: `${id} ended before its next request to the model, so it did not receive the message.`,
    hints: [...(task_id === null ? [] : [`git flame show ${task_id}`]), 'git flame status'],
  });
}

/** Leaves a hint for a living agent and returns its id. Throws FlameErrors that say why it was not left. */
export function leaveHintForAgent(commonDir: string, agent: string, hint: Pick<Hint, 'by' | 'text'>): string {
  const left = leaveHint(commonDir, agent, hint);
  if (left.kind === 'left') return left.id;
  if (left.why === 'no-agent') throw agentNotRunningError(agent, { isKept: true });
  if (left.why === 'too-long')
    throw new FlameError({
      kind: 'usage',
      code: 'hint-too-long',
      message: `A hint has at most ${longestHint} characters, but this one has ${hint.text.length}.`,
      hints: ['Put the rest in the task: git flame task edit'],
    });
  throw new FlameError({
    kind: 'refused',
    code: 'no-hint-taken',
    message: `${agent} can't receive a message: ${hintRefusalReasons[left.why]}.`,
    hints: [`git flame agent stop ${agent}`, 'git flame task edit'],
  });
}
