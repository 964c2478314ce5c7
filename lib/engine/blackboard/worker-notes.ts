import type { BlackboardPageChange } from '../../core/blackboard/change-blackboard-page.ts';
import {
  listNotesOfAcceptedAttempt,
  type NotesForTask,
  selectNotesForTask,
} from '../../core/blackboard/notes-for-task.ts';
import type { WorkerNotes } from '../../core/blackboard/parse-notes-in-message.ts';
import type { AgentId } from '../../domain/ids.ts';
import { makeBlackboardNote } from '../../domain/state/blackboard.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { findSecrets } from '../../policy/secrets/find-secrets.ts';
import { formatCount } from '../../util/format-figures.ts';
import type { SessionView } from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';

const mostOfClaims = 6_000;

/** Notes a worker leaves for later tasks as its work is accepted; those that look like a credential are not kept. */
export function makeWorkerNotesChange(
  context: Pick<RunContext, 'now' | 'place'>,
  { task, agent }: { readonly task: Task; readonly agent: AgentId },
  { notes, leftOut }: Pick<WorkerNotes, 'notes' | 'leftOut'>,
): { readonly change: BlackboardPageChange | null; readonly warnings: readonly string[] } {
  const at = timestamp(context);
  const kept = notes.filter((text) => findSecrets(text, null).length === 0);
  const secret = notes.length - kept.length;
  const add = kept.map((text) =>
    makeBlackboardNote({ text, by: agent, at, place: context.place, tasks: [], paths: [] }),
  );
  const noted = (count: number): string => `${task.id}: ${formatCount(count, 'note')} for later tasks`;
  return {
    change: add.length === 0 ? null : { task: task.id, add, drop: [] },
    warnings: [
      ...(secret === 0 ? [] : [`${noted(secret)} not kept: the text seems to hold a credential.`]),
      ...(leftOut === 0 ? [] : [`${noted(leftOut)} not kept: one task may not leave so many.`]),
    ],
  };
}

/** Selects a worker's notes from the blackboard; words that look like a credential are passed on to no model. */
export function selectSecretFreeNotes(
  task: Task,
  { tasks, snapshot }: Pick<SessionView, 'tasks' | 'snapshot'>,
): NotesForTask {
  const { words, leftOut } = selectNotesForTask(task, { tasks, pages: snapshot.blackboardOf(task.session) });
  const clean = words.filter(({ text }) => findSecrets(text, null).length === 0);
  return { words: clean, leftOut: leftOut + words.length - clean.length };
}

/** Lists notes that the worker of a done task left, newest first and bounded: claims that its judge can check. */
export function listNotesLeftByWorker(task: Task, { snapshot }: Pick<SessionView, 'snapshot'>): readonly string[] {
  let length = 0;
  return listNotesOfAcceptedAttempt(task, snapshot.blackboardOf(task.session))
    .map(({ text }) => text)
    .filter((text) => findSecrets(text, null).length === 0)
    .filter((text) => {
      length += text.length;
      return length <= mostOfClaims;
    });
}
