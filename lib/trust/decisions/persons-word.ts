import { FlameError } from '../../domain/flame-error.ts';
import { agentIdPattern } from '../../domain/ids.ts';
import type { Decision } from '../../domain/state/origins.ts';

/** What is a person's word alone, whoever types it, and what it is to say it. */
const words: Partial<Readonly<Record<Decision['kind'], string>>> = {
  task: 'What tasks are to do',
  adapter: 'Which adapter a task runs with',
  approval: 'What lands',
  limit: 'A higher budget',
  machine: 'Which machines are trusted',
};

/** Throws FlameError `typed-in-chat` where one of these decisions is a person's word, and an agent's shell is where it was typed. */
export function requirePerson(fresh: readonly Decision[], chat: () => string | null): void {
  const word = fresh.map(wordOf).find((one) => one !== null);
  if (word === undefined) return;
  requireOwnTerminal(word, chat);
}

/** The same for another word of theirs: what it decides, as the subject of a sentence. */
export function requireOwnTerminal(word: string, chat: () => string | null): void {
  const around = chat();
  if (around === null) return;
  throw new FlameError({
    kind: 'waiting',
    code: 'typed-in-chat',
    message: `${word} is a person's to decide, and this command was started by ${around}.`,
    hints: ['In a terminal that no agent started, the same command once more', 'git flame status'],
  });
}

function wordOf({ kind, facts: { by } }: Decision): string | null {
  const isByHand = kind === 'verdict' && by !== 'diagnostics' && !agentIdPattern.test(`${by}`);
  return isByHand ? 'How work is judged by hand' : (words[kind] ?? null);
}
