import type { RefName } from '../../domain/ids.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { StoreOptions } from '../store-options.ts';
import type { RefPublisher } from '../write/ref-publisher.ts';

/** A repair that was made, or damage that could not be repaired without loss. */
export interface Repair {
  readonly ref: RefName;
  readonly isDone: boolean;
  /** One sentence, naming ref and object. */
  readonly message: string;
  readonly hints: readonly string[];
}

export interface RepairContext extends StoreOptions {
  readonly catFile: CatFile;
  readonly publisher: RefPublisher;
  /** Only says what would be done. */
  readonly isDry: boolean;
}
