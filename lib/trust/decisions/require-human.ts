import { FlameError } from '../../domain/flame-error.ts';
import { agentIdPattern } from '../../domain/ids.ts';
import type { Decision } from '../../domain/state/decision-log.ts';

/** Decisions that only a person may make, each as the subject of a sentence. */
const words: Partial<Readonly<Record<Decision['kind'], string>>> = {
  task: 'What tasks are to do',
  adapter: 'Which adapter a task runs with',
  approval: 'What lands',
  limit: 'A higher budget',
  machine: 'Which machines are trusted',
};

/** Throws FlameError `typed-in-chat` where only a person may make one of these decisions, and an agent's shell made it. */
export function requireHuman(fresh: readonly Decision[], chat: () => string | null): void {
  const word = fresh.map(wordOf).find((one) => one !== null);
  if (word === undefined) return;
  requireOwnTerminal(word, chat);
}

/** The same check for another action; `word`: what it decides, as the subject of the error's sentence. */
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
