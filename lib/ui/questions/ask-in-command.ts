import type { FlameError } from '../../domain/flame-error.ts';
import type { TrustChange } from '../../domain/state/repository-trust.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { renderTrustChanges } from '../render/render-trust.ts';
import { createPrompter } from '../terminal/prompter.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { askChoice, askText, askToKeepWork } from './ask-at-terminal.ts';

/** Shows what is asked for and asks whether it may be. `onEnd` is thrown where the input ends without an answer. */
export async function askToAllowTrustChanges(
  io: Io,
  changes: readonly TrustChange[],
  {
    style,
    onEnd,
    missing = [],
  }: {
    readonly style: Style;
    readonly onEnd: () => FlameError;
    /** Programs that its agents need and that are not here. */
    readonly missing?: readonly string[];
  },
): Promise<boolean> {
  const print = (line: string): void => void io.stderr.write(`${line}\n`);
  print(renderTrustChanges(changes, style));
  for (const program of missing)
    print(`\n${style.yellow(`${toPrintableLine(program)} is not installed here: no agent of it can start.`)}`);
  print('\nAllow this? You allow exactly what is shown, for this clone. To undo it: git flame trust revoke.');
  const key = await askChoice({ prompter: createPrompter(io, style.width), print, onEnd }, [
    { key: 'y', label: '(y)es' },
    { key: 'n', label: '(n)o' },
  ]);
  return key === 'y';
}

interface EndQuestion {
  readonly title: string;
  /** Work that will not be done, a sentence each. */
  readonly left: readonly string[];
  readonly style: Style;
  /** Thrown where the input ends without an answer. */
  readonly onEnd: () => FlameError;
}

/** Asks whether a session is to end. */
export async function askToEndSession(io: Io, { title, left, style, onEnd }: EndQuestion): Promise<boolean> {
  const print = (line: string): void => void io.stderr.write(`${line}\n`);
  print(style.bold(toPrintableLine(title)));
  for (const line of left) print(line);
  const key = await askChoice({ prompter: createPrompter(io, style.width), print, onEnd }, [
    { key: 'e', label: '(e)nd it' },
    { key: 'k', label: '(k)eep it' },
  ]);
  return key === 'e';
}

interface UndoQuestion {
  readonly changeset: string;
  readonly tasks: readonly string[];
  readonly style: Style;
  /** Thrown where the input ends without an answer. */
  readonly onEnd: () => FlameError;
}

/** What becomes of the tasks of a landing that is taken back. */
interface AfterUndo {
  readonly follow: 'requeue' | 'drop';
  readonly notes: string;
  readonly keep: boolean;
}

/** Asks what becomes of the tasks of a landing that is taken back; null: it is not. */
export async function askWhatFollowsUndo(
  io: Io,
  { changeset, tasks, style, onEnd }: UndoQuestion,
): Promise<AfterUndo | null> {
  const print = (line: string): void => void io.stderr.write(`${line}\n`);
  const asking = { prompter: createPrompter(io, style.width), print, onEnd };
  print(style.bold(`${toPrintableLine(changeset)} is taken back. What becomes of ${tasks.join(', ')}?`));
  const key = await askChoice(asking, [
    { key: 's', label: '(s)end back' },
    { key: 'd', label: '(d)rop' },
    { key: 'n', label: '(n)othing: it stays landed' },
  ]);
  if (key === 'n') return null;
  const notes = await askText(asking, key === 's' ? 'What must be different? ' : 'Why? ');
  if (key === 'd') return { follow: 'drop', notes, keep: false };
  return { follow: 'requeue', notes, keep: await askToKeepWork(asking) };
}
