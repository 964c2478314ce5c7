import { resolve } from 'node:path';
import { listNotesWithState } from '../core/blackboard/list-notes-with-state.ts';
import type { BlackboardNote } from '../domain/state/blackboard.ts';
import type { Session } from '../domain/state/session-schema.ts';
import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { acceptReceivedNotes, badNoteError, dropNotes, leaveNote } from '../engine/blackboard/leave-note.ts';
import { renderNotes } from '../ui/render/render-notes.ts';
import { toPrintableLine } from '../ui/text/printable-text.ts';
import { shortId } from '../util/short-names.ts';
import { showOutputInPager } from './context/git-preferences.ts';
import { readSelectedSession } from './context/open-notes-context.ts';
import { requireTypedByPerson } from './context/require-typed-by-person.ts';
import { requireNotArchived } from './context/session-lock.ts';
import { withTrustedDecisions } from './context/with-trusted-decisions.ts';
import { readFileNamedByPerson, readStreamAsText } from './run-context/open-gates.ts';
import { type CommandContext, withRunContext } from './run-context/open-run-context.ts';

/** `git flame note list|add|drop|accept`: what is left for later tasks of a session. */
export function run(args: CommandArgs<'note'>, io: Io): Promise<number> {
  switch (args.subcommand) {
    case 'add':
      return add(args, io);
    case 'drop':
      return change(args, io, { act: dropNotes, done: 'removed', dry: 'Would remove' });
    case 'accept':
      return change(args, io, {
        act: acceptReceivedNotes,
        done: 'agents receive it from now on',
        dry: 'Would accept',
      });
    default:
      return list(args, io);
  }
}

function list(args: CommandArgs<'note'>, io: Io): Promise<number> {
  return withTrustedDecisions(args, io, async ({ store, selected, output }) => {
    const snapshot = await readSelectedSession(store, selected);
    const { id } = selected.require(snapshot);
    const notes = listNotesWithState(
      snapshot.blackboardOf(id),
      snapshot.tasksOf(id),
      snapshot.admitted(id).snapshot.blackboardOf(id),
    );
    output.json({ session: id, notes });
    const text = notes.length === 0 ? 'No notes were left.' : renderNotes(notes, output.style).join('\n');
    await showOutputInPager(output, io, text);
    return 0;
  });
}

async function add(args: CommandArgs<'note'>, io: Io): Promise<number> {
  const { tasks, paths } = args.options;
  const text = await readText(args, io);
  return withSelectedTask(args, io, async ({ context, output, commandLine }, { id: session }) => {
    if (commandLine.isDry) {
      output.json({ session, note: null });
      output.result('Would leave the note.');
      return 0;
    }
    const by = context.gates.person;
    const said = { text, by, tasks: tasks ?? [], paths: paths ?? [] };
    const { note, isNew } = await leaveNote(context, session, said);
    output.json({ session, note, is_new: isNew });
    output.result(
      `${shortId(note.id)}: ${isNew ? 'tasks that begin from now on receive it' : 'this note exists already'}.`,
    );
    return 0;
  });
}

async function readText({ positionals: [words], options: { from } }: CommandArgs<'note'>, io: Io): Promise<string> {
  if (from === null && words !== undefined) return words;
  if (from === null || words !== undefined)
    throw badNoteError(
      from === null ? 'A note needs text.' : 'The text is given twice: as words and with --from.',
      'usage',
    );
  return from === '-' ? readStreamAsText(io.stdin) : readFileNamedByPerson(resolve(io.cwd, from));
}

interface NoteChange {
  readonly act: typeof dropNotes;
  readonly done: string;
  readonly dry: string;
}

function change(args: CommandArgs<'note'>, io: Io, { act, done, dry }: NoteChange): Promise<number> {
  const ids = (args.positionals[0] ?? '').split(/[\s,]+/).filter(Boolean);
  if (ids.length === 0) throw badNoteError(`git flame note ${args.subcommand} needs the id of a note.`, 'usage');
  return withSelectedTask(args, io, async ({ context, output, commandLine, git }, { id: session }) => {
    if (commandLine.isDry) {
      output.json({ session, notes: [] });
      output.result(`${dry}: ${toPrintableLine(ids.join(', '))}`);
      return 0;
    }
    if (args.subcommand === 'accept') requireTypedByPerson('Which notes agents receive', git.repository, io);
    const notes: readonly BlackboardNote[] = await act(context, session, ids);
    output.json({ session, notes });
    for (const { id, by, text } of notes)
      output.result(`${shortId(id)}: ${done}. ${toPrintableLine(`${by}: ${text}`)}`);
    return 0;
  });
}

function withSelectedTask(
  args: CommandArgs<'note'>,
  io: Io,
  work: (opened: CommandContext, session: Session) => Promise<number>,
): Promise<number> {
  return withRunContext(args, io, async (opened) => {
    const session = opened.selected.require(await opened.store.snapshot());
    await requireNotArchived(opened.store, session.id);
    return work(opened, session);
  });
}
