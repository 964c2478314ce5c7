import type { Answer } from '../../domain/questions/answer-row.ts';
import type { Changeset } from '../../domain/state/changeset.ts';

/** deciding: a gate waits for an answer. working: the run does something else. ended: nothing is decided here any more. */
export type PagePhase = 'deciding' | 'working' | 'ended';

/** Where the run is, in a sentence for every tab; '' while it waits for the person. */
export const phaseMessages: Readonly<Record<PagePhase, string>> = {
  deciding: '',
  working:
    'No changeset waits for you now; the next ones come here. What else the run asks stands at its terminal and on its board.',
  ended: 'This run has ended. Nothing can be decided here any more; git flame status says what is next.',
};

/** State that changes while the page is open; sent to every tab. */
export interface PageState {
  readonly phase: PagePhase;
  /** One sentence about where the run is; '' while it waits for the person. */
  readonly message: string;
  readonly changesets: readonly ChangesetState[];
}

export interface ChangesetState {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  readonly tasks: readonly { readonly id: string; readonly title: string }[];
  readonly commit: string;
  readonly state: Changeset['state'];
  /** Why it is in that state; '' if no reason was given. */
  readonly reason: string;
  /** The person who decided; '' if it is undecided. */
  readonly by: string;
  readonly isRed: boolean;
  /** The group that has to be approved before; '' if none. */
  readonly needs: string;
  /** Whether what was decided can be taken back. */
  readonly isUndoable: boolean;
  /** Its possible answers while it waits. */
  readonly answers: readonly Answer[];
  readonly insertions: number;
  readonly deletions: number;
}
