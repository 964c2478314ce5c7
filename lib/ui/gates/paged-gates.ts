import type { ChangesetDecision, ChangesetQuestion, Gates } from '../../domain/ports/gates.ts';
import type { ReviewPage } from '../review-page/open-review-page.ts';
import type { TerminalGates } from './terminal-gates.ts';

export interface PageOpener {
  /** Whether changesets are asked about on the page by themselves: it was wanted from the start, or is open. */
  isWanted(): boolean;
  /** The page, the same each time. */
  open(): Promise<ReviewPage>;
}

interface PagedGatesOptions {
  readonly opener: PageOpener;
  /** Aborts at Ctrl-C: where there is no terminal nothing else would end the waiting. */
  readonly interrupted: AbortSignal | undefined;
}

/**
 * Gates whose changesets are decided on the review page or at the terminal, whichever answers first; the
 * other one shows the answer. Where there is no terminal, on the page alone, if one is wanted.
 */
export function pagedGates(
  gates: Gates,
  terminal: TerminalGates | null,
  { opener, interrupted }: PagedGatesOptions,
): Gates {
  const changeset = async (question: ChangesetQuestion): Promise<ChangesetDecision> => {
    if (terminal === null && !opener.isWanted()) return gates.changeset(question);
    const answered = new AbortController();
    const onInterrupted = (): void => answered.abort(interrupted?.reason);
    interrupted?.addEventListener('abort', onInterrupted);
    const asked: Promise<ChangesetDecision>[] = [];
    try {
      return await new Promise<ChangesetDecision>((resolve, reject) => {
        const ask = (answer: Promise<ChangesetDecision>): void => {
          asked.push(answer);
          answer.then(resolve, reject);
        };
        const openPage = async (): Promise<void> => {
          const page = await opener.open();
          interrupted?.throwIfAborted();
          ask(page.ask(question, answered.signal));
        };
        const askTerminal = (offer?: () => Promise<void>): void => {
          if (terminal !== null)
            ask(terminal.changeset(question, { withdrawn: answered.signal, openPage: offer }));
        };
        if (opener.isWanted()) openPage().then(() => askTerminal(), reject);
        else askTerminal(openPage);
      });
    } finally {
      interrupted?.removeEventListener('abort', onInterrupted);
      answered.abort(new Error('It was answered elsewhere.'));
      await Promise.allSettled(asked);
    }
  };
  return { ...gates, changeset };
}
