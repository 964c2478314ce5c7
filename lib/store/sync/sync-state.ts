import { accessSync, constants } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { IncomingChange } from '../../core/merge/incoming-changes.ts';
import type { LostValue } from '../../core/merge/merge-values.ts';
import type { ObjectId, RefName } from '../../domain/ids.ts';
import type { UnusableNote } from '../../domain/ports/store-port.ts';
import { finishKilledRefChanges } from '../../git/refs/finish-killed-ref-changes.ts';
import { blackboardNoteKind, stateRefs } from '../notes/note-kinds.ts';
import { LocalSyncSide, type MergedState } from './local-state.ts';
import { type MergedRef, nameNoteForPerson } from './merge-refs.ts';
import { PushRefusalHistory } from './push-refusals.ts';
import {
  deleteRemoteRefs,
  fetchState,
  fetchStateObjects,
  type PushResult,
  type PushSpec,
  pushState,
} from './remote-refs.ts';
import { cannotMergeInto, damagedStateNotSent, newerStateNotSent, remoteBusy } from './sync-errors.ts';
import type { SyncOptions } from './sync-options.ts';

interface SyncedRef {
  readonly ref: RefName;
  readonly outcome: MergedRef<unknown>['outcome'];
}

interface SyncConflict extends LostValue {
  readonly ref: RefName;
  /** Id of the task or session, or the commit that was judged. */
  readonly note: string;
}

export interface SyncResult {
  readonly remote: string;
  readonly refs: readonly SyncedRef[];
  readonly conflicts: readonly SyncConflict[];
  /** Changes that came in, one by one, by any author. */
  readonly changes: readonly IncomingChange[];
  /** Commits that tasks and changesets name: made known here, sent, and found nowhere. */
  readonly commits: {
    readonly received: number;
    readonly sent: number;
    readonly unknown: readonly ObjectId[];
  };
  /** Unreadable notes that were sent all the same; in a dry run: those that would not be sent. */
  readonly damage: readonly UnusableNote[];
  /** Refs of the remote without notes, left alone there and here. */
  readonly unreadable: readonly UnusableNote[];
  /** Number of pushes for which other clones were first. */
  readonly races: number;
}

const maxPushes = 10;

/**
 * Shares the state with a remote: fetches it beside the local one, merges note by note, pushes both together. Local
 * refs move by compare-and-swap, the remote's never by force. Throws the FlameErrors of sync-errors.ts.
 */
export async function syncState(options: SyncOptions): Promise<SyncResult> {
  await finishKilledRefChanges(options.context, options.commonDir);
  const { context, commonDir, remote, isDry } = options;
  if (!isDry) requireWritable(commonDir);
  const local = new LocalSyncSide(options);
  const refusals = new PushRefusalHistory(remote);
  const changes: IncomingChange[] = [];
  const conflicts: SyncConflict[] = [];
  try {
    for (let races = 0; races < maxPushes; races += 1) {
      if (races > 0) await wait(Math.random() * Math.min(50 * 2 ** races, 2_000));
      const theirs = await (isDry ? fetchStateObjects : fetchState)(context, remote);
      let merged = await local.merge(theirs);
      changes.push(...merged.changes);
      conflicts.push(...conflictsOf(merged));
      if (!isDry && options.settle !== undefined) {
        await options.settle();
        merged = await local.merge(theirs);
      }
      if (isDry) return describe(options, merged, { races: 0, changes, conflicts });
      if (merged.damage.length > 0 && options.passesDamage !== true) throw damagedStateNotSent(remote, merged.damage);
      if (merged.newer.length > 0 && options.keepsMine !== true) throw newerStateNotSent(remote, merged.newer);
      const pushed = await push(options, merged.specs);
      if (pushed.kind === 'done') {
        await deleteRemoteRefs(context, remote, merged.forgotten);
        await local.track(merged);
        return describe(options, merged, { races, changes, conflicts });
      }
      refusals.note(pushed, merged.specs, theirs);
    }
    throw remoteBusy(remote, maxPushes, refusals.words);
  } finally {
    await local.close();
  }
}

const alwaysNamed = stateRefs.filter((ref) => ref !== blackboardNoteKind.ref);

async function push({ context, remote }: SyncOptions, specs: readonly PushSpec[]): Promise<PushResult> {
  return specs.length === 0 ? { kind: 'done' } : pushState(context, remote, specs);
}

function describe(
  { remote }: SyncOptions,
  merged: MergedState,
  { races, changes, conflicts }: Pick<SyncResult, 'races' | 'changes' | 'conflicts'>,
): SyncResult {
  const { received, sent, unknown, problems } = merged.kept;
  return {
    remote,
    // Notes for later tasks, memory and archive are mentioned only where there are any.
    refs: merged.refs
      .map(({ state, outcome }) => ({ ref: state.kind.ref, outcome }))
      .filter(({ ref, outcome }) => outcome !== 'absent' || alwaysNamed.includes(ref)),
    conflicts,
    changes,
    commits: { received, sent, unknown },
    damage: [...merged.damage, ...merged.newer],
    unreadable: [...merged.refs.flatMap(({ problem }) => problem ?? []), ...problems],
    races,
  };
}

function conflictsOf({ refs }: MergedState): readonly SyncConflict[] {
  return refs.flatMap(({ state, conflicts }) =>
    conflicts.flatMap(({ note, losses }) =>
      losses.map((loss) => ({ ref: state.kind.ref, note: nameNoteForPerson(note.json, note.key), ...loss })),
    ),
  );
}

function requireWritable(commonDir: string): void {
  try {
    accessSync(commonDir, constants.W_OK);
  } catch (cause) {
    throw cannotMergeInto(commonDir, cause);
  }
}
