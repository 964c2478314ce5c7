import type { AgentId, ObjectId, SessionId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import { keepCommit, rescueName } from '../keep/rescue-refs.ts';
import { putAway } from '../keep/rescue-worktree.ts';
import type { Workshop } from '../workshop.ts';

interface Attempt {
  readonly session: SessionId;
  readonly task: Task;
  readonly agent: AgentId;
  /** Path of its worktree. */
  readonly path: string;
}

/**
 * An attempt whose claim another one took the place of while it worked: nothing of the task is touched, what it made is
 * kept as a rescue, and it is said.
 */
export async function tellSuperseded(
  workshop: Workshop,
  { session, task, agent, path }: Attempt,
  { now, tip }: { readonly now: Task; readonly tip: ObjectId | null },
): Promise<void> {
  const where = await keepWork(workshop, { session, task, path }, { tip });
  const holder = now.agent_id === null ? `it is ${now.status} now` : `${now.agent_id} has it now`;
  const place =
    now.claimed_host === null || now.claimed_host === workshop.place ? '' : ` on ${now.claimed_host}`;
  workshop.events.emit({
    event: 'result-superseded',
    task: task.id,
    agent,
    message: `${task.id}: what ${agent} did does not count, its claim was given up and ${holder}${place}.`,
    details: where === null ? [] : [where],
  });
}

async function keepWork(
  workshop: Workshop,
  { session, task, path }: Pick<Attempt, 'session' | 'task' | 'path'>,
  { tip }: { readonly tip: ObjectId | null },
): Promise<string | null> {
  const cell = (await workshop.git.cells()).find((one) => one.path === path);
  if (tip !== null) {
    const ref = await keepCommit(workshop, { session, task: task.id }, tip);
    return `It is kept: git flame rescue show ${rescueName(ref)}`;
  }
  if (cell === undefined) return null;
  const outcome = await putAway(workshop, cell, {
    why: 'Its claim was given up while it worked.',
    isAsked: false,
  });
  switch (outcome.kind) {
    case 'removed':
      return null;
    case 'rescued':
      return `It is kept: git flame rescue show ${rescueName(outcome.ref)}`;
    case 'kept':
      return `It stays in ${path}.`;
  }
}
