import type { OwnStateTips, Snapshot, Store } from '../domain/ports/store-port.ts';
import type { ObjectHashFormat } from '../git/objects/make-object.ts';
import type { CatFile } from '../git/process/cat-file.ts';
import type { GitIdentities } from '../git/process/git-identity.ts';
import type { GitContext } from '../git/process/run-git.ts';
import type { StateReader } from './notes/state-reader.ts';

/** Where a state is. */
export type StorePlace = Pick<StoreOptions, 'context' | 'commonDir' | 'objectFormat'>;

/** Parts that the writers of one opened store share. */
export interface StoreParts extends StorePlace, Pick<StoreOptions, 'idents' | 'ownTips'> {
  readonly catFile: CatFile;
  readonly reader: StateReader;
  readonly now: () => Date;
  readonly host: string | null;
}

export interface StoreOptions {
  /** The person's folder and environment: whose identity the commits carry. */
  readonly context: GitContext;
  /** Identity for commits, if it was read before; else git is asked. */
  readonly idents?: GitIdentities;
  /** Open reader of the repository, if there is one: it stays open. */
  readonly catFile?: CatFile;
  /** The common git directory, absolute: linked worktrees share one state. */
  readonly commonDir: string;
  readonly objectFormat: ObjectHashFormat;
  readonly now?: () => Date;
  /** Absent: every state is judged. */
  readonly ownTips?: OwnStateTips;
  /** Named in the `Host` trailer of each commit; none if not given. */
  readonly hostname?: string;
}

/** Writes changes into the state. */
export interface StoreWriter {
  transact: Store['transact'];
  close(): Promise<void>;
}

/** The state of one clone. */
export interface LocalStore extends Store<Snapshot, Snapshot> {
  /** Starts the process that reads the notes, so that the first read waits less. */
  begin(): void;
  /** From now on changes go another way: the remote decides whether they are made. */
  writeThrough<Writer extends StoreWriter>(make: (parts: StoreParts) => Writer): Writer;
}
