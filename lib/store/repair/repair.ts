import type { RefName } from '../../domain/ids.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { StoreOptions } from '../store-options.ts';
import type { RefPublisher } from '../write/ref-publisher.ts';

/** What was repaired, or what could not be without losing something. */
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
