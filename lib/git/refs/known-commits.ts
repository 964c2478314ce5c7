import type { ObjectId, RefName } from '../../domain/ids.ts';
import { RefFiles } from './ref-files.ts';

interface Known {
  readonly tip: ObjectId;
  readonly files: RefFiles;
}

/** Which commits refs name, asked again only once git's own files don't show that a ref stands where it stood. */
export class KnownCommits {
  readonly #commonDir: string;
  readonly #ask: (ref: RefName) => Promise<ObjectId | null>;
  readonly #known = new Map<RefName, Known>();

  constructor(commonDir: string, ask: (ref: RefName) => Promise<ObjectId | null>) {
    this.#commonDir = commonDir;
    this.#ask = ask;
  }

  /** null: there is no such ref, or it leads to no commit. */
  async commitOf(ref: RefName): Promise<ObjectId | null> {
    const known = this.#known.get(ref);
    if (known?.files.areAt(new Map([[ref, known.tip]]))) return known.tip;
    const files = known?.files ?? new RefFiles(this.#commonDir);
    const note = files.begin([ref]);
    const tip = await this.#ask(ref);
    note(new Map([[ref, tip]]));
    if (tip === null) this.#known.delete(ref);
    else this.#known.set(ref, { tip, files });
    return tip;
  }
}
