import { toLeftNoteDecision } from '../../core/admission/make-decisions.ts';
import { boundText, toOneLine } from '../../core/task/bound-text.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId, TaskId } from '../../domain/ids.ts';
import { noTaskError } from '../../domain/input-errors.ts';
import {
  type BlackboardNote,
  type BlackboardPage,
  blackboardNoteLimits,
  makeBlackboardNote,
} from '../../domain/state/blackboard.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { renderLineRange } from '../../domain/state/line-range.ts';
import { lineSchema } from '../../domain/text-schemas.ts';
import { findSecrets } from '../../policy/secrets/find-secrets.ts';
import { canonicalJson } from '../../util/canonical-digest.ts';
import { shortId } from '../../util/short-names.ts';
import {
  type ChangesToRecord,
  decideAndRecord,
  type RecordContext,
  type SessionView,
  viewSession,
} from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';

type Leaving = RecordContext & Pick<RunContext, 'place'>;

interface LeftNotes {
  readonly text: string;
  /** Tasks and paths it is meant for; none of both: all tasks. */
  readonly tasks: readonly string[];
  readonly paths: readonly string[];
  /** A person's `Name <email>`, or an agent id. */
  readonly by: string;
  /** Throws where the author may not leave it, as the session stands. */
  readonly requireMay?: (session: SessionView['session']) => void;
}

/**
 * Leaves a note for the tasks of a session that begin after it. The same words for the same tasks are left once. Throws
 * FlameErrors `bad-note`, `secret-in-note`, `no-task`, `too-many-notes`, `session-over`.
 */
export async function leaveNote(
  context: Leaving,
  session: SessionId,
  said: LeftNotes,
): Promise<{ readonly note: BlackboardNote; readonly isNew: boolean }> {
  const text = requireText(said.text);
  const paths = said.paths.map(requirePath);
  requireFew(said);
  const at = timestamp(context);
  const { by } = said;
  let left: { readonly note: BlackboardNote; readonly isNew: boolean } | undefined;
  await decideAndRecord(context, session, (view) => {
    said.requireMay?.(view.session);
    requireOpen(view);
    const tasks = said.tasks.map((id) => requireTask(view, id));
    const isKnown = (note: BlackboardNote): boolean =>
      context.decided.has(toLeftNoteDecision({ session, task: null }, note));
    // By any author: a model that takes over the lead leaves the same notes.
    const known = ledNotes(view).find((note) => isAlike(note, { text, tasks, paths }) && isKnown(note));
    if (known !== undefined) {
      left = { note: known, isNew: false };
      return null;
    }
    requireRoom(view);
    const note = makeBlackboardNote({ text, by, at, tasks, paths, place: context.place });
    left = { note, isNew: true };
    return {
      notes: {
        changes: [{ task: null, add: [note], drop: [] }],
        subject: `note ${shortId(note.id)}: left by ${by}`,
      },
      body: toOneLine(text),
      actor: by,
    };
  });
  if (left === undefined) throw new Error('a note was neither left nor known');
  return left;
}

/** Removes notes by any author, found by how their ids begin. Throws FlameError `no-note`. */
export async function dropNotes(
  context: RecordContext,
  session: SessionId,
  ids: readonly string[],
): Promise<readonly BlackboardNote[]> {
  let gone: readonly BlackboardNote[] = [];
  await decideAndRecord(context, session, ({ pages }) => {
    const found = notesNamed(pages(), ids);
    gone = found.map(({ note }) => note);
    const named = [...new Set(gone.map(({ id }) => shortId(id)))].join(', ');
    const tasks = [...new Set(found.map(({ task }) => task))];
    return {
      notes: {
        changes: tasks.map((task) => ({
          task,
          add: [],
          drop: found.filter((one) => one.task === task).map(({ note }) => note),
        })),
        subject: `note ${named}: dropped by ${context.gates.person}`,
      },
    };
  });
  return gone;
}

/** Accepts notes of other clones as this person's decision: agents see them then. Throws FlameError `no-note`. */
export async function acceptReceivedNotes(
  context: RecordContext,
  session: SessionId,
  ids: readonly string[],
): Promise<readonly BlackboardNote[]> {
  const { pages } = await viewSession(context, session);
  const found = notesNamed(pages(), ids);
  context.decided.record(found.map(({ task, note }) => toLeftNoteDecision({ session, task }, note)));
  return found.map(({ note }) => note);
}

interface Found {
  readonly task: TaskId | null;
  readonly note: BlackboardNote;
}

function notesNamed(pages: readonly BlackboardPage[], ids: readonly string[]): readonly Found[] {
  const all = pages.flatMap(({ task, notes }) => notes.map((note) => ({ task, note })));
  return ids.flatMap((id) => {
    const found = id.length < 4 ? [] : all.filter(({ note }) => note.id.startsWith(id));
    const [one, other] = new Set(found.map(({ note }) => note.id));
    if (one !== undefined && other === undefined) return found;
    throw refusedError(
      'no-note',
      `${other === undefined ? 'There is no note' : 'Several notes begin with'} ${JSON.stringify(id.slice(0, 100))}.`,
      ['git flame note list'],
    );
  });
}

/** Printable, whole, and without credentials: what is cut or changed is not what was said. */
function requireText(said: string): string {
  const text = said.length > blackboardNoteLimits.text * 4 ? said : boundText(said, said.length + 1);
  if (text === '') throw badNoteError('A note needs a text.');
  if (text.length > blackboardNoteLimits.text)
    throw badNoteError(`A note has at most ${blackboardNoteLimits.text} characters, and this one ${text.length}.`);
  const [secret] = findSecrets(text, null);
  if (secret === undefined) return text;
  throw refusedError(
    'secret-in-note',
    `The note was not left: it seems to hold a credential (${secret.id}, line ${secret.line}).`,
    ['Write where the credential is kept, not the credential itself'],
  );
}

function requirePath(said: string): string {
  const path = said.trim().replace(/^(?:\.\/)+/, '');
  const isPlain = lineSchema(500).safeParse(path).success && !path.startsWith('/');
  if (isPlain && !path.split('/').includes('..')) return path;
  throw badNoteError(`${JSON.stringify(said.slice(0, 200))} is not a path in the repository.`);
}

function requireFew({ tasks, paths }: LeftNotes): void {
  if (Math.max(tasks.length, paths.length) > blackboardNoteLimits.meant)
    throw badNoteError(
      `A note can name at most ${blackboardNoteLimits.meant} tasks and ${blackboardNoteLimits.meant} paths.`,
    );
}

/** `usage`: what was typed, not what it says. */
export function badNoteError(message: string, kind: 'refused' | 'usage' = 'refused'): FlameError {
  const hint = kind === 'usage' ? 'git flame note -h' : 'Leave a shorter one, or several: git flame note -h';
  return new FlameError({ kind, code: 'bad-note', message, hints: [hint] });
}

function requireOpen({ session: { id, state } }: SessionView): void {
  if (state !== 'ended') return;
  throw refusedError('session-over', `Session ${id} has ended: none of its tasks starts any more.`, [
    `git flame resume ${id}`,
  ]);
}

function requireTask({ tasks, received, session }: SessionView, id: string): TaskId {
  const all = [...tasks, ...received, ...(session.proposal ?? [])];
  const task = all.find((one) => one.id === id);
  if (task === undefined) throw noTaskError(id, all);
  return task.id;
}

function ledNotes({ pages }: SessionView): readonly BlackboardNote[] {
  return pages().find(({ task }) => task === null)?.notes ?? [];
}

function isAlike(note: BlackboardNote, other: Pick<BlackboardNote, 'text' | 'tasks' | 'paths'>): boolean {
  const key = ({ text, tasks, paths }: typeof other): string => canonicalJson({ text, tasks, paths });
  return key(note) === key(other);
}

function requireRoom(view: SessionView): void {
  const [oldest] = ledNotes(view);
  if (oldest === undefined || ledNotes(view).length < blackboardNoteLimits.ofSession) return;
  throw refusedError(
    'too-many-notes',
    `Session ${view.session.id} has ${blackboardNoteLimits.ofSession} notes for all its tasks, and no task reads more.`,
    ['git flame note list', `git flame note drop ${shortId(oldest.id)}`],
  );
}

const longestPath = 500;

/**
 * Turns remarks on an approved changeset that lands into notes for later tasks that may write the same files; null
 * without any. Remarks that look like a credential stay with the landing alone, and so do those the session has no room
 * for.
 */
export function turnRemarksIntoNotes(
  view: Pick<SessionView, 'pages'>,
  { group, remarks = [], decided_by: by }: Changeset,
  { at, place }: Pick<BlackboardNote, 'at' | 'place'>,
): NonNullable<ChangesToRecord['notes']> | null {
  if (by === null) return null;
  const known = view.pages().find(({ task }) => task === null)?.notes.length ?? 0;
  const notes = remarks
    .filter(({ path }) => path.length <= longestPath)
    .map(({ path, text, ...lines }) => {
      const said = `On ${path}:${renderLineRange(lines)}, a comment made when ${group} was approved: ${text}`;
      const note = boundText(said, blackboardNoteLimits.text);
      return makeBlackboardNote({ text: note, by, at, place, tasks: [], paths: [path] });
    })
    .filter(({ text }) => findSecrets(text, null).length === 0)
    .slice(0, Math.max(0, blackboardNoteLimits.ofSession - known));
  if (notes.length === 0) return null;
  const paths = [...new Set(notes.flatMap((note) => note.paths))].join(', ');
  return {
    changes: [{ task: null, add: notes, drop: [] }],
    subject: `notes: comments on the approved ${group} left for later tasks on ${paths}`.slice(0, 200),
  };
}
