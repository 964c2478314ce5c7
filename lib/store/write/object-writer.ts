import { writeLooseObject } from '../../git/objects/loose-object.ts';
import type { NewObject, ObjectFormat } from '../../git/objects/make-object.ts';
import type { ObjectSettings } from '../../git/objects/object-file.ts';
import { readObjectSettings } from '../../git/objects/object-settings.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { writePack } from './write-pack.ts';

// Below, loose files are about as quick, and a pack for every few changes would slow all reads.
const packFrom = 32;

/** Puts new objects into the repository before a ref may name them. */
export class ObjectWriter {
  readonly #options: {
    readonly context: GitContext;
    readonly commonDir: string;
    readonly objectsDir: string;
    readonly objectFormat: ObjectFormat;
  };
  #settings: Promise<ObjectSettings> | null = null;

  constructor(options: {
    readonly context: GitContext;
    readonly commonDir: string;
    readonly objectsDir: string;
    readonly objectFormat: ObjectFormat;
  }) {
    this.#options = options;
  }

  /** Reads what the first writing would. */
  async ready(): Promise<void> {
    const { context, commonDir } = this.#options;
    this.#settings ??= readObjectSettings(context, commonDir);
    await this.#settings;
  }

  /** Resolves when all are there. */
  async write(objects: readonly NewObject[]): Promise<void> {
    const { context, commonDir, objectFormat, objectsDir } = this.#options;
    this.#settings ??= readObjectSettings(context, commonDir);
    const settings = await this.#settings;
    if (objects.length >= packFrom) await writePack(objectsDir, objects, { objectFormat, settings });
    else for (const object of objects) writeLooseObject(objectsDir, object, settings);
  }
}
