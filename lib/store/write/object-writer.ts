import { type LooseObjectSettings, writeLooseObject } from '../../git/objects/loose-object.ts';
import { readLooseSettings } from '../../git/objects/loose-object-settings.ts';
import type { NewObject, ObjectFormat } from '../../git/objects/make-object.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { writePack } from './write-pack.ts';

// Below, loose files are as quick as starting git, and a pack for every few changes would slow all reads.
const packFrom = 200;

/** Puts new objects into the repository before a ref may name them. */
export class ObjectWriter {
  readonly #options: {
    readonly context: GitContext;
    readonly commonDir: string;
    readonly objectsDir: string;
    readonly objectFormat: ObjectFormat;
  };
  #settings: Promise<LooseObjectSettings> | null = null;

  constructor(options: {
    readonly context: GitContext;
    readonly commonDir: string;
    readonly objectsDir: string;
    readonly objectFormat: ObjectFormat;
  }) {
    this.#options = options;
  }

  /** Resolves when all are there. */
  async write(objects: readonly NewObject[]): Promise<void> {
    const { context, commonDir, objectFormat, objectsDir } = this.#options;
    this.#settings ??= readLooseSettings(context, commonDir);
    const settings = await this.#settings;
    if (objects.length >= packFrom) await writePack(context, { gitDir: commonDir, objectFormat }, objects);
    else for (const object of objects) writeLooseObject(objectsDir, object, settings);
  }
}
