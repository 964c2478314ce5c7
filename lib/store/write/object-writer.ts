import { join } from 'node:path';
import { type ObjectSettings, readObjectSettings, writeLooseObject } from '../../git/objects/loose-object.ts';
import { makePack, type NewObject, type ObjectFormat } from '../../git/objects/make-object.ts';
import { type GitContext, runGit } from '../../git/process/run-git.ts';
import { killPoint } from '../../util/kill-point.ts';

// Below, loose files are quicker than to start git, and a pack for every few changes would slow all reads.
const packFrom = 32;

/** Puts new objects into the repository before a ref may name them. */
export class ObjectWriter {
  readonly #options: {
    readonly context: GitContext;
    readonly commonDir: string;
    readonly objectFormat: ObjectFormat;
  };
  #settings: Promise<ObjectSettings> | null = null;

  constructor(options: {
    readonly context: GitContext;
    readonly commonDir: string;
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
    const { context, commonDir } = this.#options;
    this.#settings ??= readObjectSettings(context, commonDir);
    const settings = await this.#settings;
    if (objects.length >= packFrom) await this.#writePack(objects);
    else for (const object of objects) writeLooseObject(join(commonDir, 'objects'), object, settings);
  }

  /** To make a file of each would take most of a transaction's time, on a disk where much was removed lately the more. */
  async #writePack(objects: readonly NewObject[]): Promise<void> {
    const { context, commonDir, objectFormat } = this.#options;
    const input = await makePack(objectFormat, objects);
    const git = { ...context, variables: { ...context.variables, GIT_DIR: commonDir } };
    await runGit(git, ['index-pack', '--stdin'], { input });
    killPoint('object written');
  }
}
