import type { ObjectId } from '../../domain/ids.ts';
import type { ObjectFormat } from '../../git/objects/make-object.ts';
import type { CommitSigner } from '../../util/machine-key.ts';
import type { Anchor } from '../notes/note-kinds.ts';
import type { ObjectSink } from '../notes/note-tree.ts';
import type { CommitIdentity } from './commit-identity.ts';

export interface ChangeContext {
  readonly actor: string;
  readonly host: string | null;
  readonly identity: CommitIdentity;
  readonly now: Date;
  readonly objectFormat: ObjectFormat;
  readonly sink: ObjectSink;
  /** Makes a commit's text one that this clone signed; none is where no machines share what it is about. */
  readonly sign?: CommitSigner | null;
}

/** Writes on one ref: each note's key and how its next value follows from the stored one. */
export interface Write<T> {
  readonly key: ObjectId;
  readonly anchor: Anchor | null;
  readonly next: (stored: T | null, rev: number) => T;
}
