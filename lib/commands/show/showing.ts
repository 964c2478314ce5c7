import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import type { Doubt } from '../../domain/state/doubt.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Reading } from '../open/read-state.ts';

/** What `show` is about, and how it is wanted. */
export interface Showing {
  readonly args: CommandArgs<'show'>;
  readonly io: Io;
  readonly reading: Reading;
  readonly snapshot: Snapshot;
  readonly session: Session;
  readonly tasks: readonly Task[];
}

/** What another clone says has ended of a session, or of one of its tasks or changesets alone, and is not so here. */
export function doubtsIn({ snapshot, session }: Showing, about: string | null = null): readonly Doubt[] {
  return (snapshot.doubts ?? []).filter(
    (doubt) => doubt.session === session.id && (about === null || doubt.about === about),
  );
}
