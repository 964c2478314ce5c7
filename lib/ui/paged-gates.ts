import type { ChangesetDecision, ChangesetQuestion, Gates } from '../domain/gates.ts';
import type { ReviewPage } from './review-page/open-review-page.ts';
import type { TerminalGates } from './terminal-gates.ts';

export interface PagedGatesOptions {
  readonly openPage: () => Promise<ReviewPage>;
  /** Aborts at Ctrl-C: where there is no terminal nothing else would end the waiting. */
  readonly interrupted: AbortSignal | undefined;
}

/**
 * Gates whose changesets are decided on the review page or at the terminal, whichever answers first; the other is
 * told. Where there is no terminal, on the page alone.
 */
export function pagedGates(
  gates: Gates,
  terminal: TerminalGates | null,
  { openPage, interrupted }: PagedGatesOptions,
): Gates {
  const changeset = async (question: ChangesetQuestion): Promise<ChangesetDecision> => {
    const page = await openPage();
    interrupted?.throwIfAborted();
    const answered = new AbortController();
    const onInterrupted = (): void => answered.abort(interrupted?.reason);
    interrupted?.addEventListener('abort', onInterrupted);
    const asked = [page.ask(question, answered.signal)];
    if (terminal !== null) asked.push(terminal.changeset(question, answered.signal));
    try {
      return await Promise.race(asked);
    } finally {
      interrupted?.removeEventListener('abort', onInterrupted);
      answered.abort(new Error('It was answered elsewhere.'));
      await Promise.allSettled(asked);
    }
  };
  return { ...gates, changeset };
}
