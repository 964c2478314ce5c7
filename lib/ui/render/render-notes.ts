import type { SessionStatusView } from '../../domain/view-models/status-view.ts';
import type { NoteWithState } from '../../domain/view-models/task-story.ts';
import { formatCount, formatTime } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

/** Notes for later tasks: of each its id, who left it and when, for whom, and its text. */
export function renderNotes(notes: readonly NoteWithState[], style: Style, indent = ''): readonly string[] {
  return notes.flatMap((note) => {
    const [first = '', ...rest] = wrapText(toPrintableLine(headOf(note)), style.width, indent);
    const id = shortId(note.id);
    const head = first.startsWith(`${indent}${id}`)
      ? `${indent}${style.yellow(id)}${first.slice(indent.length + id.length)}`
      : first;
    const mark = markOf(note);
    return [
      head,
      ...rest,
      ...(mark === '' ? [] : wrapText(toPrintableLine(mark), style.width, `${indent}  `).map(style.yellow)),
      ...wrapText(toPrintableText(note.text), style.width, `${indent}  `),
    ];
  });
}

/** One line: how many notes wait for tasks to begin, and where they are read. */
export function renderNoteCount({ active, elsewhere }: NonNullable<SessionStatusView['notes']>): string {
  const more = elsewhere === 0 ? '' : `, ${elsewhere} of them from other clones, which no agent receives`;
  return `${formatCount(active + elsewhere, 'note')} for later tasks${more}: git flame note`;
}

function headOf({ id, task, by, at, tasks, paths }: NoteWithState): string {
  const whose = task === null ? '' : ` of ${task},`;
  const selected = [...tasks, ...paths].join(', ');
  return `${shortId(id)}${whose} by ${by}, ${formatTime(at)}${selected === '' ? '' : `, for ${selected}`}`;
}

function markOf({ state, place, id }: NoteWithState): string {
  switch (state) {
    case 'elsewhere':
      return `left in another clone (${place ?? 'unknown'}), which no agent here receives; to change that: git flame note accept ${shortId(id)}`;
    case 'void':
      return 'not passed on: the attempt that left it was not chosen';
    case 'active':
      return '';
  }
}
