import type { FlameError } from '../../domain/flame-error.ts';
import type { TrustChange } from '../../domain/state/repository-trust.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { renderTrustChanges } from '../render/render-trust.ts';
import { createPrompter } from '../terminal/prompter.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { askChoice, askText, askToKeepWork, type TerminalAsking } from './ask-at-terminal.ts';

interface Asked {
  readonly style: Style;
  /** Thrown where the input ends without an answer. */
  readonly onEnd: () => FlameError;
}

function askOn(io: Io, { style, onEnd }: Asked): TerminalAsking {
  return { prompter: createPrompter(io, style.width), print: (line) => void io.stderr.write(`${line}\n`), onEnd };
}

/** Shows what is asked for and asks whether it may be; `missing`: programs that its agents need and that are not here. */
export async function askToAllowTrustChanges(
  io: Io,
  changes: readonly TrustChange[],
  { missing = [], ...asked }: Asked & { readonly missing?: readonly string[] },
): Promise<boolean> {
  const { style } = asked;
  const asking = askOn(io, asked);
  asking.print(renderTrustChanges(changes, style));
  for (const program of missing)
    asking.print(`\n${style.yellow(`${toPrintableLine(program)} is not installed here: no agent of it can start.`)}`);
  asking.print('\nAllow this? You allow exactly what is shown, for this clone. To undo it: git flame trust revoke.');
  const key = await askChoice(asking, [
    { key: 'y', label: '(y)es' },
    { key: 'n', label: '(n)o' },
  ]);
  return key === 'y';
}

/** Asks whether a session is to end; `left`: work that will not be done, a sentence each. */
export async function askToEndSession(
  io: Io,
  { title, left, ...asked }: Asked & { readonly title: string; readonly left: readonly string[] },
): Promise<boolean> {
  const asking = askOn(io, asked);
  asking.print(asked.style.bold(toPrintableLine(title)));
  for (const line of left) asking.print(line);
  const key = await askChoice(asking, [
    { key: 'e', label: '(e)nd it' },
    { key: 'k', label: '(k)eep it' },
  ]);
  return key === 'e';
}

type AfterUndo = Pick<NonNullable<Task['takes_back']>, 'follow' | 'notes' | 'keep'>;

/** Asks what becomes of the tasks of a landing that is taken back; null: it is not. */
export async function askWhatFollowsUndo(
  io: Io,
  { changeset, tasks, ...asked }: Asked & { readonly changeset: string; readonly tasks: readonly string[] },
): Promise<AfterUndo | null> {
  const asking = askOn(io, asked);
  const about = `${toPrintableLine(changeset)} is taken back. What becomes of ${tasks.join(', ')}?`;
  asking.print(asked.style.bold(about));
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
