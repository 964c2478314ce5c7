import type { AgentRequest, SharedBudget } from '../../domain/ports/agent-port.ts';
import type { AgentRun } from './agent-run.ts';
import { openQuestions } from './open-question.ts';

/** Its time does not run while its work is looked at as it means to end. */
export function held(run: AgentRun, lastWord: AgentRequest['lastWord']): Pick<AgentRequest, 'lastWord'> {
  if (lastWord === undefined) return {};
  return {
    lastWord: async (words, signal) => {
      run.held += 1;
      try {
        return await lastWord(words, signal);
      } finally {
        run.held -= 1;
      }
    },
  };
}

/** Its time does not run while it waits for the person. */
export function heldAsk(
  run: AgentRun,
  ask: AgentRequest['ask'],
  limit: number | 'never',
): Pick<AgentRequest, 'ask'> {
  if (ask === undefined || limit === 'never') return {};
  return { ask: heldAsks(ask, { run, root: run.folder.root, mostMs: limit }) };
}

/** Its time does not run while it waits for a share of a budget; `most` where it shares none. */
export async function untilGranted(
  run: AgentRun,
  take: () => ReturnType<SharedBudget['take']> | undefined,
  most: number,
): Promise<number | null> {
  run.held += 1;
  try {
    const granted = await take();
    return granted === undefined ? most : granted;
  } finally {
    run.held -= 1;
  }
}

type Ask = NonNullable<AgentRequest['ask']>;

/** Counts what the time of an agent stands still for. */
interface Holder {
  held: number;
}

interface HeldAsksOptions {
  readonly run: Holder;
  /** Its run folder. */
  readonly root: string;
  /** For all of its questions together, in milliseconds. */
  readonly mostMs: number;
}

/**
 * Its time does not run while it waits for the person: at most `mostMs` in sum, as what runs in its cell works on
 * meanwhile.
 */
export function heldAsks(ask: Ask, { run, root, mostMs }: HeldAsksOptions): Ask {
  const open = openQuestions(root);
  let leftMs = mostMs;
  return async (questions, signal) => {
    const answered = open.note(questions);
    const since = performance.now();
    let isHeld = leftMs > 0;
    const release = (): void => {
      if (isHeld) run.held -= 1;
      isHeld = false;
    };
    if (isHeld) run.held += 1;
    const timer = setTimeout(() => {
      leftMs = 0;
      release();
    }, leftMs);
    try {
      return await ask(questions, signal);
    } finally {
      clearTimeout(timer);
      release();
      leftMs = Math.max(0, leftMs - (performance.now() - since));
      answered();
    }
  };
}
