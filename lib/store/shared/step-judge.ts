import { judgeSessionMerge, judgeTaskMerge } from '../../core/machines/judge-merge.ts';
import { judgeSessionStep } from '../../core/machines/judge-session-step.ts';
import { type Fault, judgeTaskStep, type StepAuthor } from '../../core/machines/judge-task-step.ts';
import type { LeadRecord } from '../../core/machines/known-leads.ts';
import { oneLine } from '../../core/task/one-line.ts';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { SeenBreach } from '../../domain/ports/sharing-port.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { gitText } from '../../git/process/run-git.ts';
import { signerOf } from '../../util/commit-signature.ts';
import { maySignAs } from '../../util/machine-key.ts';
import { Note } from '../notes/note.ts';
import { anchorKey, type NoteKind, sessionAnchor, sessionNotes, taskNotes } from '../notes/note-kinds.ts';
import { notePath } from '../notes/note-tree.ts';
import type { StoreParts } from '../store-options.ts';
import { LeadLine, type LeadOptions } from './lead-line.ts';
import { type ChangedNote, type NotesStep, readSteps } from './read-steps.ts';
import { isAncestor } from './seen-tips.ts';
import type { SignWatch } from './sign-watch.ts';

/** A note before a step and after it; null: there was none, or it can't be read. */
interface Versions<Value> {
  readonly before: Value | null;
  readonly after: Value | null;
}

interface Place {
  readonly ref: string;
  readonly step: NotesStep;
  readonly key: string | null;
}

interface Options extends Omit<LeadOptions, 'read'> {
  readonly watch: SignWatch;
  readonly session: SessionId;
}

/** Says what the steps of a session broke of the rules by which machines share it, step by step. */
export class StepJudge {
  readonly #parts: StoreParts;
  readonly #watch: SignWatch;
  readonly #session: SessionId;
  readonly #leads: LeadLine;

  constructor(parts: StoreParts, { watch, session, own, kept }: Options) {
    this.#parts = parts;
    this.#watch = watch;
    this.#session = session;
    this.#leads = new LeadLine({ own, kept, read: (commit) => this.#sessionAt(commit) });
  }

  /** Who led, up to the last state that was judged. */
  leads(): LeadRecord {
    return this.#leads.record();
  }

  /** Judges what came between two states of the refs that decide, by their names. */
  async judge(
    from: ReadonlyMap<string, ObjectId>,
    to: ReadonlyMap<string, ObjectId>,
  ): Promise<readonly SeenBreach[]> {
    const [was, is] = [from.get(sessionNotes.ref), to.get(sessionNotes.ref)];
    if (was !== undefined) await this.#leads.startFrom(was);
    const sessions = await this.#stepsOf(sessionNotes, from, to);
    const tasks = await this.#stepsOf(taskNotes, from, to);
    // Who leads is known before it is judged what only the lead may do.
    const found = sessions === null ? [] : await this.#judgeSessions(sessions, was);
    if (is !== undefined) await this.#leads.endAt(is, sessions !== null);
    return [...found, ...(await this.#judgeTasks(tasks ?? []))];
  }

  /** null: it was not gone from one to the other, or there was none. */
  async #stepsOf<T>(
    { ref }: NoteKind<T>,
    from: ReadonlyMap<string, ObjectId>,
    to: ReadonlyMap<string, ObjectId>,
  ): Promise<readonly NotesStep[] | null> {
    const [before, after] = [from.get(ref), to.get(ref)];
    if (before === undefined || after === undefined) return null;
    if (before === after) return [];
    // Where the remote went back and was merged with what is here, nothing shows which way it went.
    if (!(await isAncestor(this.#parts.context, before, after))) return null;
    return readSteps(this.#parts, { from: before, to: after });
  }

  #sessionAt(commit: string): Promise<Session | null> {
    return this.#noteAt(sessionNotes, this.#sessionKey(), commit);
  }

  #sessionKey(): ObjectId {
    return anchorKey(this.#parts.objectFormat, sessionAnchor(this.#session));
  }

  async #noteAt<T>(kind: NoteKind<T>, key: ObjectId, commit: string): Promise<T | null> {
    const blob = await this.#blobAt(key, commit);
    return blob === null ? null : (await this.#note(kind, key, blob)).value;
  }

  async #blobAt(key: ObjectId, commit: string): Promise<ObjectId | null> {
    return (await this.#parts.catFile.info(`${commit}:${notePath(key).join('/')}`))?.oid ?? null;
  }

  async #judgeSessions(
    steps: readonly NotesStep[],
    from: ObjectId | undefined,
  ): Promise<readonly SeenBreach[]> {
    const found: SeenBreach[] = [];
    const own = this.#sessionKey();
    const followed = new Set<ObjectId | null>();
    if (steps.length > 0 && from !== undefined) followed.add(await this.#blobAt(own, from));
    for (const step of steps) {
      const changed = step.notes.find(({ key }) => key === own);
      if (changed === undefined) continue;
      const place = { ref: sessionNotes.ref, step, key: await this.#signer(step) };
      const { before, after } = await this.#versions(sessionNotes, changed);
      if (!followed.has(changed.old)) this.#leads.saw(before);
      followed.add(changed.now);
      const faults = await this.#sessionFaults(place, changed, { before, after });
      const { isBy } = this.#author(place.key, []);
      this.#leads.follow({ before, after, isMerge: step.parents.length > 1, faults, isBy });
      const stood = before === null || after === null ? null : { kind: 'session' as const, before, after };
      found.push(...faults.map((fault) => this.#breach(place, fault, { task: null, stood })));
    }
    return found;
  }

  async #sessionFaults(
    { ref, step, key }: Place,
    changed: ChangedNote,
    { before, after }: Versions<Session>,
  ): Promise<readonly Fault[]> {
    if (after === null) return this.#damage(sessionNotes, changed, before);
    if (before === null) return [];
    if (step.parents.length < 2)
      return judgeSessionStep(before, after, this.#author(key, this.#leads.on(before)));
    const { base, sides } = await this.#mergedFrom({ ref, step, key }, sessionNotes, changed.key);
    return judgeSessionMerge({ base, sides, merged: after });
  }

  async #judgeTasks(steps: readonly NotesStep[]): Promise<readonly SeenBreach[]> {
    const found: SeenBreach[] = [];
    for (const step of steps) {
      if (step.notes.length === 0) continue;
      const place = { ref: taskNotes.ref, step, key: await this.#signer(step) };
      for (const changed of step.notes) {
        const { before, after } = await this.#versions(taskNotes, changed);
        const task = after ?? before;
        if (task?.session !== this.#session) continue;
        const faults = await this.#taskFaults(place, changed, { before, after });
        const stood = after === null ? null : { kind: 'task' as const, before, after };
        found.push(...faults.map((fault) => this.#breach(place, fault, { task: task.id, stood })));
      }
    }
    return found;
  }

  async #taskFaults(
    place: Place,
    changed: ChangedNote,
    { before, after }: Versions<Task>,
  ): Promise<readonly Fault[]> {
    if (after === null) return this.#damage(taskNotes, changed, before);
    if (place.step.parents.length < 2)
      return judgeTaskStep(before, after, this.#author(place.key, this.#leads.all()));
    const fault = judgeTaskMerge({
      ...(await this.#mergedFrom(place, taskNotes, changed.key)),
      merged: after,
    });
    return fault === null ? [] : [fault];
  }

  /** A note that could be read before, and can't be now. What a newer version wrote is none of these. */
  async #damage<T>(
    kind: NoteKind<T>,
    { key, now }: ChangedNote,
    before: T | null,
  ): Promise<readonly Fault[]> {
    if (before === null || (now !== null && (await this.#note(kind, key, now)).isNewer)) return [];
    return [
      {
        kind: 'damage',
        machine: null,
        what: now === null ? 'its note was removed' : "its note can't be read any more",
      },
    ];
  }

  /** What a merge merged. */
  async #mergedFrom<T>(
    { step }: Place,
    kind: NoteKind<T>,
    key: ObjectId,
  ): Promise<{ readonly base: T | null; readonly sides: readonly T[] }> {
    const { context } = this.#parts;
    const at = (commit: string): Promise<T | null> => this.#noteAt(kind, key, commit);
    const found = await gitText(context, ['merge-base', '--all', ...step.parents], { accept: [0, 1, 128] });
    const [base = '', ...others] = found.split('\n').filter(Boolean);
    const sides = await Promise.all(step.parents.map(at));
    return {
      // Lines that were merged before have several: those are merged too, which is not done here again.
      base: base === '' || others.length > 0 ? null : await at(base),
      sides: sides.flatMap((side) => side ?? []),
    };
  }

  async #versions<T>(kind: NoteKind<T>, { key, old, now }: ChangedNote): Promise<Versions<T>> {
    const read = async (blob: ObjectId | null): Promise<T | null> =>
      blob === null ? null : (await this.#note(kind, key, blob)).value;
    return { before: await read(old), after: await read(now) };
  }

  async #note<T>(kind: NoteKind<T>, key: ObjectId, blob: ObjectId): Promise<Note<T>> {
    const object = await this.#parts.catFile.read(blob);
    return Note.readWhole(kind, { key, blob }, object?.bytes ?? null, this.#parts.objectFormat);
  }

  async #signer({ commit }: NotesStep): Promise<string | null> {
    const object = await this.#parts.catFile.read(commit);
    return object === null ? null : signerOf(object.bytes.toString(), this.#parts.objectFormat);
  }

  #author(key: string | null, leads: readonly string[]): StepAuthor {
    const isBy = (machine: string): boolean => maySignAs(machine, key);
    return {
      isBy,
      isByLead: leads.length === 0 || leads.some(isBy),
      isAlive: (machine) => this.#watch.isAlive(machine),
    };
  }

  #breach(
    { ref, step, key }: Place,
    { kind, machine, what }: Fault,
    { task, stood }: { readonly task: string | null; readonly stood: SeenBreach['stood'] },
  ): SeenBreach {
    const by = key === null ? null : this.#watch.holderOf(key);
    // Names come out of notes that anybody may have written.
    const named = (name: string | null): string | null => oneLine(name ?? '', 300) || null;
    return {
      breach: {
        ...{ v: 1, kind, session: this.#session, task, key, commit: step.commit, ref },
        ...{ machine: named(machine), by: named(by), what: oneLine(what, 500) },
      },
      stood,
    };
  }
}
