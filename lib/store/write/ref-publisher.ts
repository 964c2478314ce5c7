import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type ObjectWriteSettings, readObjectWriteSettings, writeLooseObject } from '../../git/objects/loose-object.ts';
import { makePack, type UnwrittenObject } from '../../git/objects/make-object.ts';
import { runGit } from '../../git/process/run-git.ts';
import { type RefCommand, type RefTransactionResult, RefTransactions } from '../../git/refs/ref-transaction.ts';
import { killPoint } from '../../util/kill-point.ts';
import { abandonedRefLockError, refUpdateRefused, stateBusy } from '../store-errors.ts';
import type { StorePlace } from '../store-options.ts';

export interface RefPublication {
  readonly objects: readonly UnwrittenObject[];
  readonly commands: readonly RefCommand[];
}

const patienceMs = 30_000;

/**
 * Moves refs that are not part of the hot state, all or none and by compare-and-swap: what to do is decided
 * again each time another process was first. `close` ends its git.
 */
export class RefPublisher {
  readonly #objects: ObjectWriter;
  readonly #refs: RefTransactions;

  /** `reason`: written to the reflogs. */
  constructor(options: StorePlace & { readonly reason: string }) {
    const { context, commonDir, objectFormat, reason } = options;
    this.#objects = new ObjectWriter(options);
    this.#refs = new RefTransactions({
      context,
      gitDir: commonDir,
      objectFormat,
      reason,
      createsReflogs: true,
    });
  }

  /** False if there was nothing to do. Throws FlameErrors `ref-locked`, `ref-refused` and `state-busy`. */
  async publish(decide: () => Promise<RefPublication | null>): Promise<boolean> {
    const until = performance.now() + patienceMs;
    const lock = new AbandonedLockDetector();
    for (;;) {
      const publication = await decide();
      if (publication === null || publication.commands.length === 0) return false;
      await this.#objects.write(publication.objects);
      if (haveRefsMoved(await this.#refs.run(publication.commands), lock)) return true;
      if (performance.now() > until) throw stateBusy();
      await wait(Math.random() * 20);
    }
  }

  close(): Promise<void> {
    return this.#refs.close();
  }
}

/** Has a RefPublisher publish once; `reason` is written to the reflogs. */
export async function publishRefs(
  options: StorePlace & { readonly reason: string },
  decide: () => Promise<RefPublication | null>,
): Promise<boolean> {
  const publisher = new RefPublisher(options);
  try {
    return await publisher.publish(decide);
  } finally {
    await publisher.close();
  }
}

/** Whether refs moved. Throws where git refused, and where the lock of a killed git is in the way. */
export function haveRefsMoved(outcome: RefTransactionResult, lock: AbandonedLockDetector): boolean {
  if (outcome.kind === 'refused') throw refUpdateRefused(outcome.message);
  if (outcome.kind === 'locked' && lock.isAbandoned(outcome.file))
    throw abandonedRefLockError(outcome.ref, outcome.file);
  // After an unknown end the refs show it the next time.
  return outcome.kind === 'done';
}

// Below, loose files are quicker than to start git, and a pack for every few changes would slow all reads.
const packFrom = 32;

/** Puts new objects into the repository before a ref may name them. */
export class ObjectWriter {
  readonly #options: StorePlace;
  #settings: Promise<ObjectWriteSettings> | null = null;

  constructor(options: StorePlace) {
    this.#options = options;
  }

  /** Resolves when all are there. */
  async write(objects: readonly UnwrittenObject[]): Promise<void> {
    const { context, commonDir } = this.#options;
    this.#settings ??= readObjectWriteSettings(context, commonDir);
    const settings = await this.#settings;
    if (objects.length >= packFrom) await this.#writePack(objects);
    else for (const object of objects) writeLooseObject(join(commonDir, 'objects'), object, settings);
  }

  /** To make a file of each would take most of a transaction's time, on a disk where much was removed lately the more. */
  async #writePack(objects: readonly UnwrittenObject[]): Promise<void> {
    const { context, commonDir, objectFormat } = this.#options;
    const input = await makePack(objectFormat, objects);
    const git = { ...context, variables: { ...context.variables, GIT_DIR: commonDir } };
    await runGit(git, ['index-pack', '--stdin'], { input });
    killPoint('object written');
  }
}

// No git holds a ref this long; a slow machine may.
const abandonedMs = 3_000;
const oldMs = 60_000;

/** Distinguishes a lock file in use by some git from one that a killed git left. */
export class AbandonedLockDetector {
  #stamp = '';
  #since = 0;

  /** True when the very same file has been seen for three seconds, or is a minute old. */
  isAbandoned(file: string): boolean {
    const stat = statSync(file, { throwIfNoEntry: false });
    const stamp = stat === undefined ? '' : `${file} ${stat.ino} ${stat.mtimeMs}`;
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#since = performance.now();
    }
    if (stat === undefined) return false;
    return performance.now() - this.#since > abandonedMs || Date.now() - stat.mtimeMs > oldMs;
  }
}
