import { FlameError } from '../../domain/flame-error.ts';
import type { Gates } from '../../domain/ports/gates.ts';
import type { GateName } from './waits-for-person.ts';
import { wrapGates } from './wrap-gates.ts';

/** Subject of a gate that waits. */
export interface WaitingFacts {
  readonly gate: GateName;
  readonly task: string | null;
  readonly changeset: string | null;
}

/**
 * Gates that call `announce` before a person is asked, or found missing. The question is not kept waiting, nor is its
 * answer: with that the announcement is over. A command that finds no person doesn't end before it was made.
 */
export function announcedGates(
  gates: Gates,
  announce: (facts: WaitingFacts, over: AbortSignal) => Promise<void>,
): Gates {
  return wrapGates(gates, (ask, gate) => async (question) => {
    // Asked at a terminal alone: a person is there.
    if (gate === 'base') return ask(question);
    const over = new AbortController();
    const announced = announce({ gate, ...subjectOf(question) }, over.signal);
    // Its error is seen where it is awaited below.
    announced.catch(() => undefined);
    try {
      const answer = await ask(question);
      over.abort();
      return answer;
    } catch (error) {
      // A run that ends for want of a person makes sure that the person hears of it.
      if (!(error instanceof FlameError) || error.kind !== 'waiting') over.abort();
      throw error;
    } finally {
      await announced;
    }
  });
}

/** The task or changeset that a question is about. */
function subjectOf(question: unknown): Pick<WaitingFacts, 'task' | 'changeset'> {
  const { task = null, changeset = null } = question as {
    readonly task?: string | { readonly id: string } | null;
    readonly changeset?: { readonly group: string };
  };
  return {
    task: typeof task === 'object' ? (task?.id ?? null) : task,
    changeset: changeset?.group ?? null,
  };
}
