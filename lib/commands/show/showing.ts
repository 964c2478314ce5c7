import type { CommandArgs } from '../../domain/command-args.ts';
import type { Io } from '../../domain/io.ts';
import type { Session } from '../../domain/session.ts';
import type { Snapshot } from '../../domain/store-port.ts';
import type { Task } from '../../domain/task.ts';
import type { Reading } from '../wiring/read-state.ts';

/** What `show` is about, and how it is wanted. */
export interface Showing {
  readonly args: CommandArgs<'show'>;
  readonly io: Io;
  readonly reading: Reading;
  readonly snapshot: Snapshot;
  readonly session: Session;
  readonly tasks: readonly Task[];
}
