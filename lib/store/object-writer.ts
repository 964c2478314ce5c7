import { type LooseObjectSettings, type NewObject, writeLooseObject } from '../git/loose-object.ts';
import { readLooseSettings } from '../git/loose-object-settings.ts';
import type { GitContext } from '../git/run-git.ts';

/** Puts new objects into the repository before a ref may name them. */
export class ObjectWriter {
  readonly #options: {
    readonly context: GitContext;
    readonly commonDir: string;
    readonly objectsDir: string;
  };
  #settings: Promise<LooseObjectSettings> | null = null;

  constructor(options: {
    readonly context: GitContext;
    readonly commonDir: string;
    readonly objectsDir: string;
  }) {
    this.#options = options;
  }

  /** Resolves when all are there. */
  async write(objects: readonly NewObject[]): Promise<void> {
    const { context, commonDir, objectsDir } = this.#options;
    this.#settings ??= readLooseSettings(context, commonDir);
    const settings = await this.#settings;
    for (const object of objects) writeLooseObject(objectsDir, object, settings);
  }
}
