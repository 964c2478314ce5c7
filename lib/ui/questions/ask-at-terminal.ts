import type { FlameError } from '../../domain/flame-error.ts';
import { isNonBlank } from '../../util/error-text.ts';
import type { Prompter } from '../terminal/prompter.ts';

/** One answer a person may give: `(a)pprove`; its key is in parentheses. */
export interface KeyChoice<Key extends string> {
  readonly key: Key;
  readonly label: string;
}

/** The means to ask at a terminal. */
export interface TerminalAsking {
  readonly prompter: Prompter;
  readonly print: (line: string) => void;
  readonly onEnd: () => FlameError;
  /** How to answer, once at a terminal; null: it was said. */
  readonly howTo?: () => string | null;
  /** Aborts when the question was answered elsewhere. */
  readonly withdrawn?: AbortSignal | undefined;
}

/** Asks until one of the choices is typed, by its key or its word. Enter alone decides nothing. */
export async function askChoice<Key extends string>(
  asking: TerminalAsking,
  choices: readonly KeyChoice<Key>[],
): Promise<Key> {
  const prompt = `${choices.map(({ label }) => label).join(' / ')}? `;
  const howTo = asking.howTo?.() ?? null;
  if (howTo !== null) asking.print(howTo);
  for (;;) {
    const answer = (await askLine(asking, prompt)).trim().toLowerCase();
    const choice = choices.find(({ key, label }) => answer === key || answer === wordOf(label));
    if (choice !== undefined) return choice.key;
    asking.print(`Type one of: ${choices.map(({ key, label }) => `${key} (${wordOf(label)})`).join(', ')}.`);
  }
}

/** Asks for a text until there is one. */
export async function askText(asking: TerminalAsking, prompt: string): Promise<string> {
  for (;;) {
    const text = (await askLine(asking, prompt)).trim();
    if (isNonBlank(text)) return text;
    asking.print('It cannot be empty.');
  }
}

const beginnings: readonly KeyChoice<'n' | 'k'>[] = [
  { key: 'n', label: '(n)ew attempt' },
  { key: 'k', label: '(k)eep this work' },
];

/** Whether the next attempt starts from the work that is sent back. */
export async function askToKeepWork(asking: TerminalAsking): Promise<boolean> {
  asking.print('The next attempt starts without this work, or continues from it.');
  return (await askChoice(asking, beginnings)) === 'k';
}

/** One line, as it was typed. */
export function askLine({ prompter, onEnd, withdrawn }: TerminalAsking, prompt: string): Promise<string> {
  return prompter.ask(prompt, onEnd, withdrawn);
}

function wordOf(label: string): string {
  return label.replace(/[()]/g, '').split(' ')[0]?.toLowerCase() ?? '';
}
