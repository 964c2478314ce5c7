import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Loss } from '../core/merge-values.ts';
import type { ObjectId, RefName } from '../domain/ids.ts';
import { CatFile } from '../git/cat-file.ts';
import type { NewObject, ObjectFormat } from '../git/loose-object.ts';
import { type RefCommand, type RefOutcome, RefTransactions } from '../git/ref-transaction.ts';
import type { GitContext } from '../git/run-git.ts';
import { stateRefs } from './note-kinds.ts';
import { ObjectWriter } from './object-writer.ts';
import { PatientLock } from './patient-lock.ts';
import { nextState, type State, StateSnapshot, tipsOf } from './state.ts';
import { StateReader } from './state-reader.ts';
import { refLocked, refRefused, stateBusy } from './store-errors.ts';
import { remoteBusy, repositoryReadOnly } from './sync-errors.ts';
import { findKeptCommits, keptRoot } from './sync-kept-commits.ts';
import { nameOf } from './sync-merge-message.ts';
import { mergeKinds } from './sync-merge-note.ts';
import { type MergeContext, type MergedRef, mergeRef } from './sync-merge-refs.ts';
import {
  fetchState,
  listRefs,
  type PushResult,
  type PushSpec,
  peekState,
  pushState,
  type RemoteRefs,
  trackingRef,
} from './sync-remote.ts';

export interface SyncOptions {
  /** git where the person stands: a remote's path may be relative to it. */
  readonly context: GitContext;
  readonly commonDir: string;
  readonly objectFormat: ObjectFormat;
  readonly remote: string;
  /** Only say what would happen: objects may be fetched, no ref moves anywhere. */
  readonly isDry: boolean;
}

export interface SyncedRef {
  readonly ref: RefName;
  readonly outcome: MergedRef<unknown>['outcome'];
}

export interface SyncConflict extends Loss {
  readonly ref: RefName;
  /** Id of the task or session, or the commit that was judged. */
  readonly note: string;
}

export interface SyncResult {
  readonly remote: string;
  readonly refs: readonly SyncedRef[];
  readonly conflicts: readonly SyncConflict[];
  /** Commits that tasks and changesets name: made known here, sent, and found nowhere. */
  readonly commits: {
    readonly received: number;
    readonly sent: number;
    readonly unknown: readonly ObjectId[];
  };
  /** How often other clones were first. */
  readonly races: number;
}

const pushTries = 10;
const localPatienceMs = 30_000;

/**
 * Shares the state with a remote: fetches it beside the local one, merges note by note, pushes both together. Local
 * refs move by compare-and-swap, the remote's never by force. Throws the FlameErrors of sync-errors.ts.
 */
export async function syncState(options: SyncOptions): Promise<SyncResult> {
  const { context, commonDir, remote, isDry } = options;
  if (!isDry) requireWritable(commonDir);
  const bench = new Bench(options);
  let words = '';
  try {
    for (let races = 0; races < pushTries; races += 1) {
      if (races > 0) await wait(Math.random() * Math.min(50 * 2 ** races, 2_000));
      const theirs = await (isDry ? peekState : fetchState)(context, remote);
      const merged = await bench.merge(theirs);
      if (isDry) return describe(options, merged, 0);
      const pushed = await push(options, merged.specs);
      if (pushed.kind === 'done') {
        await bench.track(merged);
        return describe(options, merged, races);
      }
      words = pushed.stderr;
    }
    throw remoteBusy(remote, pushTries, words);
  } finally {
    await bench.close();
  }
}

async function push({ context, remote }: SyncOptions, specs: readonly PushSpec[]): Promise<PushResult> {
  return specs.length === 0 ? { kind: 'done' } : pushState(context, remote, specs);
}

interface MergedState {
  readonly refs: readonly MergedRef<unknown>[];
  readonly received: number;
  readonly sent: number;
  readonly unknown: readonly ObjectId[];
  /** What is left to push. */
  readonly specs: readonly PushSpec[];
}

/** The long-lived gits of one sync, and what it does to the local refs. */
class Bench {
  readonly #options: SyncOptions;
  readonly #catFile: CatFile;
  readonly #reader: StateReader;
  readonly #objects: ObjectWriter;
  readonly #refs: RefTransactions;
  readonly #loggedRefs: RefTransactions;

  constructor(options: SyncOptions) {
    const { context, commonDir, objectFormat } = options;
    this.#options = options;
    this.#catFile = new CatFile(context, commonDir);
    this.#reader = new StateReader({ catFile: this.#catFile, commonDir, objectFormat });
    const objectsDir = join(commonDir, 'objects');
    this.#objects = new ObjectWriter({ context, commonDir, objectFormat, objectsDir });
    const transactions = {
      context,
      gitDir: commonDir,
      objectFormat,
      reason: `git flame sync ${options.remote}`,
    };
    this.#refs = new RefTransactions(transactions);
    this.#loggedRefs = new RefTransactions({ ...transactions, createsReflogs: true });
  }

  /** Merges into the local refs; again if somebody moves them meanwhile. */
  async merge(theirs: RemoteRefs): Promise<MergedState> {
    const until = performance.now() + localPatienceMs;
    const lock = new PatientLock();
    for (;;) {
      const before = await this.#reader.read();
      const { state, refs } = await this.#mergeRefs(before, theirs);
      const local = await listRefs(this.#options.context, keptRoot);
      const kept = await findKeptCommits(new StateSnapshot(state), { local, remote: theirs }, this.#catFile);
      const allKept = new Map([...local, ...kept.missing]);
      const unsent = [...allKept].filter(([ref]) => !theirs.has(ref));
      const result: MergedState = {
        refs,
        received: [...kept.missing.keys()].filter((ref) => theirs.has(ref)).length,
        sent: unsent.length,
        unknown: kept.unknown,
        specs: [
          ...pushSpecs(refs, theirs),
          ...(unsent.length === 0 ? [] : [{ from: `${keptRoot}*`, to: `${keptRoot}*` }]),
        ],
      };
      if (this.#options.isDry) return result;
      await this.#keep(kept.missing);
      const objects = refs.flatMap((ref) => ref.objects);
      if (await this.#publish(before, state, objects, lock)) return result;
      if (performance.now() > until) throw stateBusy();
      await wait(Math.random() * 20);
    }
  }

  /** Notes where the remote stands after the push: git does that only for refspecs of its configuration. */
  async track({ refs }: MergedState): Promise<void> {
    const { context, remote } = this.#options;
    const tracked = await listRefs(context, `refs/blueflame-remotes/${remote}/`);
    const commands = refs.flatMap(({ state }): RefCommand[] => {
      const ref = trackingRef(remote, state.kind.ref) as RefName;
      const old = tracked.get(ref) ?? null;
      return state.tip === null || state.tip === old ? [] : [{ ref, old, new: state.tip }];
    });
    // The next fetch does the same.
    if (commands.length > 0) await this.#refs.run(commands);
  }

  async close(): Promise<void> {
    await this.#refs.close();
    await this.#loggedRefs.close();
    await this.#catFile.close();
  }

  async #mergeRefs(
    before: State,
    theirs: RemoteRefs,
  ): Promise<{ readonly state: State; readonly refs: readonly MergedRef<unknown>[] }> {
    const context: MergeContext = { ...this.#options, catFile: this.#catFile };
    const side = (ref: RefName) => ({
      tip: theirs.get(ref) ?? null,
      ref: trackingRef(this.#options.remote, ref) as RefName,
    });
    const sessions = await mergeRef(
      context,
      mergeKinds.sessions,
      before.sessions,
      side(before.sessions.kind.ref),
    );
    const tasks = await mergeRef(context, mergeKinds.tasks, before.tasks, side(before.tasks.kind.ref));
    const validations = await mergeRef(
      context,
      mergeKinds.validations,
      before.validations,
      side(before.validations.kind.ref),
    );
    const reviews = await mergeRef(
      context,
      mergeKinds.reviews,
      before.reviews,
      side(before.reviews.kind.ref),
    );
    const state = nextState(before, {
      sessions: sessions.state,
      tasks: tasks.state,
      validations: validations.state,
      reviews: reviews.state,
    });
    return { state, refs: [sessions, tasks, validations, reviews] };
  }

  /** Commits are kept before the state names them. */
  async #keep(missing: ReadonlyMap<RefName, ObjectId>): Promise<void> {
    if (missing.size === 0) return;
    const commands = [...missing].map(([ref, oid]): RefCommand => ({ ref, old: null, new: oid }));
    const outcome = await this.#refs.run(commands);
    if (outcome.kind === 'refused') throw refRefused(outcome.message);
  }

  /** Moves the local refs all together; false if one of them was elsewhere already. */
  async #publish(
    before: State,
    after: State,
    objects: readonly NewObject[],
    lock: PatientLock,
  ): Promise<boolean> {
    const [old, next] = [tipsOf(before), tipsOf(after)];
    const commands = stateRefs.map((ref): RefCommand => {
      const [from, to] = [old.get(ref) ?? null, next.get(ref) ?? null];
      return from === to ? { ref, old: from } : { ref, old: from, new: to };
    });
    const moves = commands.filter((command) => command.new !== undefined);
    if (moves.length === 0) return true;
    await this.#objects.write(objects).catch((error: unknown) => {
      throw isReadOnly(error) ? repositoryReadOnly(this.#options.commonDir, error) : error;
    });
    const isFirst = moves.some((command) => command.old === null);
    const outcome = await (isFirst ? this.#loggedRefs : this.#refs).run(commands);
    return isPublished(outcome, lock);
  }
}

function isPublished(outcome: RefOutcome, lock: PatientLock): boolean {
  if (outcome.kind === 'refused') throw refRefused(outcome.message);
  if (outcome.kind === 'locked' && lock.isAbandoned(outcome.file)) throw refLocked(outcome.ref, outcome.file);
  // After an unknown end the refs tell the next time.
  return outcome.kind === 'done';
}

function pushSpecs(refs: readonly MergedRef<unknown>[], theirs: RemoteRefs): PushSpec[] {
  return refs.flatMap(({ state }) =>
    // By id: what moves here meanwhile goes with the next sync.
    state.tip === null || state.tip === (theirs.get(state.kind.ref) ?? null)
      ? []
      : [{ from: state.tip, to: state.kind.ref }],
  );
}

function describe({ remote }: SyncOptions, merged: MergedState, races: number): SyncResult {
  const { received, sent, unknown } = merged;
  return {
    remote,
    refs: merged.refs.map(({ state, outcome }) => ({ ref: state.kind.ref, outcome })),
    conflicts: merged.refs.flatMap(({ state, conflicts }) =>
      conflicts.flatMap(({ note, losses }) =>
        losses.map((loss) => ({ ref: state.kind.ref, note: nameOf(note.json, note.key), ...loss })),
      ),
    ),
    commits: { received, sent, unknown },
    races,
  };
}

function requireWritable(commonDir: string): void {
  try {
    accessSync(commonDir, constants.W_OK);
  } catch (cause) {
    throw repositoryReadOnly(commonDir, cause);
  }
}

function isReadOnly(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['EACCES', 'EROFS', 'EPERM'].includes(String(error.code))
  );
}
