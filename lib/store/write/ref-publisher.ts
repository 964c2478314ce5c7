import { setTimeout as wait } from 'node:timers/promises';
import type { NewObject, ObjectFormat } from '../../git/objects/make-object.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { type RefCommand, type RefOutcome, RefTransactions } from '../../git/refs/ref-transaction.ts';
import { refLocked, refRefused, stateBusy } from '../store-errors.ts';
import { ObjectWriter } from './object-writer.ts';
import { PatientLock } from './patient-lock.ts';

export interface Publication {
  readonly objects: readonly NewObject[];
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

  constructor(options: {
    readonly context: GitContext;
    readonly commonDir: string;
    readonly objectFormat: ObjectFormat;
    /** Written to the reflogs. */
    readonly reason: string;
  }) {
    const { context, commonDir, objectFormat, reason } = options;
    this.#objects = new ObjectWriter({ context, commonDir, objectFormat });
    this.#refs = new RefTransactions({
      context,
      gitDir: commonDir,
      objectFormat,
      reason,
      createsReflogs: true,
    });
  }

  /** False if there was nothing to do. Throws FlameErrors `ref-locked`, `ref-refused` and `state-busy`. */
  async publish(decide: () => Promise<Publication | null>): Promise<boolean> {
    const until = performance.now() + patienceMs;
    const lock = new PatientLock();
    for (;;) {
      const publication = await decide();
      if (publication === null || publication.commands.length === 0) return false;
      await this.#objects.write(publication.objects);
      if (isDone(await this.#refs.run(publication.commands), lock)) return true;
      if (performance.now() > until) throw stateBusy();
      await wait(Math.random() * 20);
    }
  }

  close(): Promise<void> {
    return this.#refs.close();
  }
}

function isDone(outcome: RefOutcome, lock: PatientLock): boolean {
  if (outcome.kind === 'refused') throw refRefused(outcome.message);
  if (outcome.kind === 'locked' && lock.isAbandoned(outcome.file)) throw refLocked(outcome.ref, outcome.file);
  // After an unknown end the refs show it the next time.
  return outcome.kind === 'done';
}
