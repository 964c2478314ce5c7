import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { openQuestions } from './open-question.ts';

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
