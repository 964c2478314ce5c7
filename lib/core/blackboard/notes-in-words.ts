import { noteBounds } from '../../domain/state/blackboard.ts';
import { boundText } from '../task/one-line.ts';

/** How a line begins with which a worker leaves a note for later tasks in its last message. */
export const noteMark = 'NOTE:';

/**
 * The notes in a worker's last message, each from its mark to the next one or an empty line, and the rest of the
 * message.
 */
export function notesInWords(message: string): { readonly notes: readonly string[]; readonly rest: string } {
  const notes: string[][] = [];
  const rest: string[] = [];
  let open: string[] | null = null;
  for (const line of message.split('\n')) {
    const start = line.trimStart();
    if (start.startsWith(noteMark)) {
      open = [start.slice(noteMark.length).trim()];
      notes.push(open);
    } else if (open !== null && line.trim() !== '') open.push(line);
    else {
      // The empty line that ends a note belongs to it.
      if (open === null) rest.push(line);
      open = null;
    }
  }
  return { notes: notes.map(textOf).filter((text) => text !== ''), rest: textOf(rest) };
}

/** The notes of a file that was left: paragraphs, divided by empty lines. */
export function notesInFile(text: string): readonly string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function textOf(lines: readonly string[]): string {
  return lines.join('\n').trim();
}

/** What a worker left, as much of it as is kept. */
export interface LeftByWorker {
  /** Its last words, without the notes among them. */
  readonly words: string;
  readonly notes: readonly string[];
  /** How many notes more there were than are kept. */
  readonly leftOut: number;
}

/** What a worker left when it ended: in its last message, and in its file for notes. */
export function leftByWorker({
  text,
  notes: file = '',
}: {
  readonly text: string;
  readonly notes?: string;
}): LeftByWorker {
  const { notes: said, rest } = notesInWords(text);
  const all = [...notesInFile(file), ...said].map((note) => boundText(note, noteBounds.text)).filter(Boolean);
  const notes = [...new Set(all)];
  return {
    words: rest,
    notes: notes.slice(0, noteBounds.ofTask),
    leftOut: Math.max(0, notes.length - noteBounds.ofTask),
  };
}
