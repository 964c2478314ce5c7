import type { AdmittedSnapshot } from '../../domain/ports/store-port.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task, UnverifiedCompletion } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import type { ReadContext } from '../context/open-read-context.ts';

/** Subject and format of `show`. */
export interface ShowOptions {
  readonly args: CommandArgs<'show'>;
  readonly io: Io;
  readonly reading: ReadContext;
  readonly snapshot: AdmittedSnapshot;
  readonly session: Session;
  readonly tasks: readonly Task[];
}

/** Unverified completions of a session, or of one of its tasks or changesets alone. */
export function listUnverifiedCompletions(
  { snapshot, session }: ShowOptions,
  about: string | null = null,
): readonly UnverifiedCompletion[] {
  return snapshot.unverified.filter((one) => one.session === session.id && (about === null || one.about === about));
}

/** Ids of changesets whose state another clone wrote: it is a proposal here. */
export function listUntrustedChangesets(stored: Session, admitted: Session): readonly string[] {
  const states = new Map(admitted.changesets.map(({ id, state }) => [id, state]));
  return stored.changesets.filter(({ id, state }) => states.get(id) !== state).map(({ id }) => id);
}
