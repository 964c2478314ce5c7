import { parseWorkerAnswer } from '../../domain/config/agent-answers.ts';
import { blackboardNoteLimits } from '../../domain/state/blackboard.ts';
import type { FileReason } from '../../domain/state/file-reason.ts';
import { parseJson } from '../../util/json.ts';
import { boundText } from '../task/bound-text.ts';
import { boundReasons, takeReasonLines } from '../task/file-reasons.ts';

/** Prefix of a line in a worker's last message that leaves a note for later tasks. */
export const notePrefix = 'NOTE:';

/**
 * The notes in a worker's last message, each from its mark to the next one or an empty line, and the rest of the
 * message.
 */
export function parseNotesInMessage(message: string): {
  readonly notes: readonly string[];
  readonly rest: string;
} {
  const notes: string[][] = [];
  const rest: string[] = [];
  let open: string[] | null = null;
  for (const line of message.split('\n')) {
    const start = line.trimStart();
    if (start.startsWith(notePrefix)) {
      open = [start.slice(notePrefix.length).trim()];
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

const fence = '```';
const longestAnswer = 1_000_000;

/**
 * A worker's answer as a JSON object of `summary`, `notes` and `why`, alone or in a code block at the end of its words;
 * null where it gave none, whose words are its answer.
 */
function structured(text: string): Pick<WorkerNotes, 'words' | 'notes' | 'reasons'> | null {
  if (text.length > longestAnswer) return null;
  const { before, block } = lastBlock(text.trim());
  const parsed = parseWorkerAnswer(parseJson(block));
  if (parsed.kind === 'malformed') return null;
  const { summary, notes, why } = parsed.value;
  const reasons = Object.entries(why).map(([path, said]) => ({ path, text: said }));
  return { words: [before, summary].filter(Boolean).join('\n\n'), notes, reasons };
}

/** The code block at the end and what stands before it; the whole text where it ends in none. */
function lastBlock(text: string): { readonly before: string; readonly block: string } {
  const start = text.endsWith(fence) ? text.lastIndexOf(fence, text.length - 2 * fence.length) : -1;
  if (start === -1) return { before: '', block: text };
  const block = text.slice(start + fence.length, -fence.length).replace(/^json\b/, '');
  return { before: text.slice(0, start).trim(), block };
}

/** The notes of a file that was left: paragraphs, divided by empty lines. */
export function parseNotesFile(text: string): readonly string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function textOf(lines: readonly string[]): string {
  return lines.join('\n').trim();
}

/** Notes of a worker, as many as are kept. */
export interface WorkerNotes {
  /** Its last words, without the notes among them. */
  readonly words: string;
  readonly notes: readonly string[];
  /** Number of notes beyond those that are kept. */
  readonly leftOut: number;
  /** Why it changed which file, as it says: one short line for each path, of any number of paths. */
  readonly reasons: readonly FileReason[];
}

/** Reads the notes and reasons a worker left: from its last message, as lines or as fields, and from its file for notes. */
export function readWorkerNotes({
  text,
  notes: file = '',
}: {
  readonly text: string;
  readonly notes?: string;
}): WorkerNotes {
  const answer = structured(text);
  const inWords = takeReasonLines(answer?.words ?? text);
  const inFile = takeReasonLines(file);
  const { notes: said, rest } = parseNotesInMessage(inWords.rest);
  const all = [...parseNotesFile(inFile.rest), ...said, ...(answer?.notes ?? [])]
    .map((note) => boundText(note, blackboardNoteLimits.text))
    .filter(Boolean);
  const notes = [...new Set(all)];
  return {
    words: rest,
    notes: notes.slice(0, blackboardNoteLimits.ofTask),
    leftOut: Math.max(0, notes.length - blackboardNoteLimits.ofTask),
    // Which of them are about its work is not known here.
    reasons: boundReasons(
      [...inFile.reasons, ...inWords.reasons, ...(answer?.reasons ?? [])],
      Number.POSITIVE_INFINITY,
    ),
  };
}

/** Prefix of the last part of an agent's last message when it left a task alone on purpose. */
export const notDonePrefix = 'NOT DONE:';

/** Why an agent says that it did nothing, in the form it was asked for; '' where it didn't say. */
export function parseNotDoneReason(lastMessage: string): string {
  const lines = lastMessage.split('\n');
  const at = lines.findLastIndex((line) => line.trimStart().startsWith(notDonePrefix));
  if (at === -1) return '';
  const text = lines.slice(at).join('\n').trim();
  return text.slice(notDonePrefix.length).trim();
}
