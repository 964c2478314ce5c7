import { setTimeout as wait } from 'node:timers/promises';
import type { IncomingChange } from '../../core/merge/incoming-changes.ts';
import type { ObjectId, RefName } from '../../domain/ids.ts';
import type { UnusableNote } from '../../domain/ports/store-port.ts';
import type { UnwrittenObject } from '../../git/objects/make-object.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { type RefCommand, RefTransactions } from '../../git/refs/ref-transaction.ts';
import {
  advanceIndexedState,
  collectStateTips,
  type IndexedState,
  type RefState,
  StateSnapshot,
} from '../notes/indexed-state.ts';
import { stateRefs } from '../notes/note-kinds.ts';
import { listRefs } from '../notes/read-tips.ts';
import { readRefOutsideState, StateReader } from '../notes/state-reader.ts';
import { refUpdateRefused, stateBusy } from '../store-errors.ts';
import { KeptCommitChains } from '../write/kept-commit-chain.ts';
import {
  type KeptCommitRefMoves,
  listKeptCommitRefs,
  planKeptCommitRefs,
  type RemoteRefs,
} from '../write/kept-commits.ts';
import { AbandonedLockDetector, haveRefsMoved, ObjectWriter } from '../write/ref-publisher.ts';
import { updateReviewNotesForGitLog } from '../write/update-review-notes.ts';
import { findNotesNewlyUnreadable } from './find-unreadable-notes.ts';
import { incomingChanges } from './list-incoming-changes.ts';
import { type NoteMergeRules, noteMergeRules } from './merge-note.ts';
import { type MergedRef, mergeRef } from './merge-refs.ts';
import { archiveAwareNoteRules, archiveAwareSessionRules, type MergedArchive } from './merge-with-archive.ts';
import {
  findEndedHeartbeatRefs,
  findNotesOfNewerVersion,
  isRemoteRefReadable,
  listKeptCommitPushes,
  listNotesRefPushes,
} from './push-specs.ts';
import { type PushSpec, trackingRef } from './remote-refs.ts';
import { cannotMergeInto } from './sync-errors.ts';
import type { SyncOptions } from './sync-options.ts';

const localPatienceMs = 30_000;

/** The local state with the remote's merged in, published here, and what the remote lacks of it. */
export interface MergedState {
  readonly refs: readonly MergedRef<unknown>[];
  /** Changes that came in, one by one. */
  readonly changes: readonly IncomingChange[];
  /** The commits that are kept for other clones. */
  readonly kept: KeptCommitRefMoves;
  /** Notes of it that can't be read and that the remote doesn't have yet. */
  readonly damage: readonly UnusableNote[];
  /** Notes of a newer version on the remote, which those here would take the place of. */
  readonly newer: readonly UnusableNote[];
  /** Refs that the remote need not have any more, once it has the rest, and where they were. */
  readonly forgotten: RemoteRefs;
  /** Pushes that are left. */
  readonly specs: readonly PushSpec[];
}

interface MergedSide<T> {
  readonly before: RefState<T>['root'];
  readonly merged: MergedRef<T>;
  readonly move: readonly RefCommand[];
}

/** The local side of one sync: merges into the state refs by compare-and-swap. `close` ends its gits. */
export class LocalSyncSide {
  readonly #options: SyncOptions;
  readonly #catFile: CatFile;
  readonly #chains: KeptCommitChains;
  readonly #reader: StateReader;
  readonly #objects: ObjectWriter;
  readonly #refs: RefTransactions;
  readonly #loggedRefs: RefTransactions;

  constructor(options: SyncOptions) {
    const { context, commonDir, objectFormat } = options;
    this.#options = options;
    this.#catFile = new CatFile(context, commonDir);
    this.#chains = new KeptCommitChains(this.#catFile, objectFormat);
    this.#reader = new StateReader({ catFile: this.#catFile, commonDir, objectFormat });
    this.#objects = new ObjectWriter(options);
    const reason = `git flame sync ${options.remote}`;
    const transactions = { context, gitDir: commonDir, objectFormat, reason };
    this.#refs = new RefTransactions(transactions);
    this.#loggedRefs = new RefTransactions({ ...transactions, createsReflogs: true });
  }

  /** Merges into the local refs; again if another process moves them meanwhile. */
  async merge(theirs: RemoteRefs): Promise<MergedState> {
    const until = performance.now() + localPatienceMs;
    const lock = new AbandonedLockDetector();
    for (;;) {
      const before = await this.#reader.read();
      const archive = {
        sessions: await this.#mergeSide(noteMergeRules.archivedSessions, theirs),
        tasks: await this.#mergeSide(noteMergeRules.archivedTasks, theirs),
        validations: await this.#mergeSide(noteMergeRules.archivedValidations, theirs),
        blackboard: await this.#mergeSide(noteMergeRules.archivedBlackboard, theirs),
      };
      const memory = await this.#mergeSide(noteMergeRules.memory, theirs);
      const signatures = await this.#mergeSide(noteMergeRules.signatures, theirs);
      const sides = [...Object.values(archive), memory, signatures];
      const { state, refs: merged } = await this.#mergeRefs(before, theirs, {
        sessions: archive.sessions.merged.state.root,
        tasks: archive.tasks.merged.state.root,
        validations: archive.validations.merged.state.root,
        blackboard: archive.blackboard.merged.state.root,
      });
      if ((await this.#options.ends?.findOut()) === true) continue;
      const refs = [...merged, ...sides.map((side) => side.merged)];
      const { context } = this.#options;
      const kept = await planKeptCommitRefs(
        new StateSnapshot(state),
        { local: await listKeptCommitRefs(context), remote: theirs },
        { git: context, catFile: this.#catFile, chains: this.#chains },
      );
      const states = refs.filter(isRemoteRefReadable).map((ref) => ref.state);
      const loading = { ...this.#options, catFile: this.#catFile };
      const result: MergedState = {
        refs,
        changes: incomingChanges(before, state, [memory.before, memory.merged.state.root]),
        kept,
        forgotten: new Map([...kept.obsolete.there, ...findEndedHeartbeatRefs(state, theirs)]),
        damage: await findNotesNewlyUnreadable(loading, states, theirs),
        newer: await findNotesOfNewerVersion(loading, states, theirs),
        specs: [...listNotesRefPushes(refs, theirs), ...listKeptCommitPushes(kept, theirs)],
      };
      if (this.#options.isDry) return result;
      const objects = refs.flatMap((ref) => ref.objects);
      const moves = [
        ...sides.flatMap(({ move }) => move),
        ...moved(before, state),
        ...[...kept.obsolete.here].map(([ref, old]): RefCommand => ({ ref, old, new: null })),
      ];
      if ((await this.#keep(kept)) && (await this.#publish(moves, objects, lock))) return result;
      if (performance.now() > until) throw stateBusy();
      await wait(Math.random() * 20);
    }
  }

  /** Notes where the remote stands after the push, as git does of its own refspecs alone; git log shows what came in. */
  async track({ refs }: MergedState): Promise<void> {
    const { context, remote } = this.#options;
    const tracked = await listRefs(context, `refs/blueflame-remotes/${remote}/`);
    const commands = refs.filter(isRemoteRefReadable).flatMap(({ state }): RefCommand[] => {
      const ref = trackingRef(remote, state.kind.ref) as RefName;
      const old = tracked.get(ref) ?? null;
      return state.tip === null || state.tip === old ? [] : [{ ref, old, new: state.tip }];
    });
    // The next fetch does the same.
    if (commands.length > 0) await this.#refs.run(commands);
    await updateReviewNotesForGitLog({ ...this.#options, catFile: this.#catFile }, await this.#reader.read());
  }

  async close(): Promise<void> {
    await this.#refs.close();
    await this.#loggedRefs.close();
    await this.#catFile.close();
  }

  async #mergeRefs(
    before: IndexedState,
    theirs: RemoteRefs,
    archive: MergedArchive,
  ): Promise<{ readonly state: IndexedState; readonly refs: readonly MergedRef<unknown>[] }> {
    const sessions = await this.#mergeOne(
      archiveAwareSessionRules(archive, before.tasks.root, this.#options.ends ?? null),
      before.sessions,
      theirs,
    );
    const kinds = archiveAwareNoteRules(sessions.state.root, archive, this.#options.ends ?? null);
    const [tasks, validations, reviews, blackboard] = [
      await this.#mergeOne(kinds.tasks, before.tasks, theirs),
      await this.#mergeOne(kinds.validations, before.validations, theirs),
      await this.#mergeOne(noteMergeRules.reviews, before.reviews, theirs),
      await this.#mergeOne(kinds.blackboard, before.blackboard, theirs),
    ];
    const state = advanceIndexedState(before, {
      sessions: sessions.state,
      tasks: tasks.state,
      validations: validations.state,
      reviews: reviews.state,
      blackboard: blackboard.state,
    });
    return { state, refs: [sessions, tasks, validations, reviews, blackboard] };
  }

  #mergeOne<T>(kind: NoteMergeRules<T>, ours: RefState<T>, theirs: RemoteRefs): Promise<MergedRef<T>> {
    const { ref } = kind.kind;
    return mergeRef({ ...this.#options, catFile: this.#catFile }, kind, ours, {
      tip: theirs.get(ref) ?? null,
      ref: trackingRef(this.#options.remote, ref) as RefName,
    });
  }

  /** One of the refs that are not read with the state. */
  async #mergeSide<T>(kind: NoteMergeRules<T>, theirs: RemoteRefs): Promise<MergedSide<T>> {
    const before = await readRefOutsideState({ ...this.#options, catFile: this.#catFile }, kind.kind);
    const merged = await this.#mergeOne(kind, before, theirs);
    return { before: before.root, merged, move: movedRef(kind.kind.ref, before.tip, merged.state.tip) };
  }

  /** Commits are kept before the state names them; false if another process moved such a ref. */
  async #keep({ moves, objects }: KeptCommitRefMoves): Promise<boolean> {
    if (moves.length === 0) return true;
    await this.#write(objects);
    const outcome = await this.#refs.run(moves);
    if (outcome.kind === 'refused') throw refUpdateRefused(outcome.message);
    return outcome.kind === 'done';
  }

  #write(objects: readonly UnwrittenObject[]): Promise<void> {
    return this.#objects.write(objects).catch((error: unknown) => {
      throw isReadOnly(error) ? cannotMergeInto(this.#options.commonDir, error) : error;
    });
  }

  /** Moves the local refs all together; false if one of them was elsewhere already. */
  async #publish(
    commands: readonly RefCommand[],
    objects: readonly UnwrittenObject[],
    lock: AbandonedLockDetector,
  ): Promise<boolean> {
    const moves = commands.filter((command) => command.new !== undefined);
    if (moves.length === 0) return true;
    await this.#write(objects);
    const isFirst = moves.some((command) => command.old === null);
    const outcome = await (isFirst ? this.#loggedRefs : this.#refs).run(commands);
    return haveRefsMoved(outcome, lock);
  }
}

/** Refs that stay are verified: the merge rests on them. */
function moved(before: IndexedState, after: IndexedState): readonly RefCommand[] {
  const [old, next] = [collectStateTips(before), collectStateTips(after)];
  return stateRefs.flatMap((ref) => movedRef(ref, old.get(ref) ?? null, next.get(ref) ?? null));
}

function movedRef(ref: RefName, old: ObjectId | null, next: ObjectId | null): readonly RefCommand[] {
  return [old === next ? { ref, old } : { ref, old, new: next }];
}

function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EACCES', 'EROFS', 'EPERM'].includes(String(error.code));
}
