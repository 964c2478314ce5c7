import type { FlameError } from '../../domain/flame-error.ts';
import type { Io } from '../../domain/shown/command.ts';
import { createPrompter } from '../terminal/prompter.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';
import { choose } from './choose.ts';

interface EndQuestion {
  readonly title: string;
  /** Work that will not be done, a sentence each. */
  readonly left: readonly string[];
  readonly style: Style;
  /** Thrown where the input ends without an answer. */
  readonly onEnd: () => FlameError;
}

/** Asks whether a session is to end. */
export async function askEnd(io: Io, { title, left, style, onEnd }: EndQuestion): Promise<boolean> {
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  say(style.bold(visibleLine(title)));
  for (const line of left) say(line);
  const key = await choose({ prompter: createPrompter(io, style.width), say, onEnd }, [
    { key: 'e', label: '(e)nd it' },
    { key: 'k', label: '(k)eep it' },
  ]);
  return key === 'e';
}
