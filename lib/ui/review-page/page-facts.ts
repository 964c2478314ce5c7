import type { AuditSummary } from '../../domain/ports/agent-port.ts';
import type { EvidenceDoubt } from '../../domain/ports/changeset-question.ts';
import type { OfferedAnswer } from '../../domain/questions/answer-definition.ts';
import type { Changeset, ChangesSinceSeen } from '../../domain/state/changeset.ts';
import type { Patch, PatchView } from '../../domain/state/patch.ts';
import type { ReadingGuide } from '../../domain/state/reading-guide.ts';
import type { AgentRunRecord, Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';

/** The review page's facts of a session: the changesets of its cycle. */
export interface PageFacts {
  readonly session: Session;
  readonly changesets: readonly ReviewedChangeset[];
}

export interface ReviewedChangeset {
  readonly changeset: Changeset;
  /** Whether what was decided about it can be taken back. */
  readonly isUndoable: boolean;
  /** See chooseTryCommand. */
  readonly tryCommand: string | null;
  readonly tasks: readonly Task[];
  /** Latest verdicts on exactly the commits that are in the changeset. */
  readonly verdicts: readonly Verdict[];
  /** Tasks whose evidence came out otherwise when it was checked again. */
  readonly doubts: readonly EvidenceDoubt[];
  /** Agents that worked on its tasks, and their watchers' decisions. */
  readonly runs: readonly AuditedAgentRun[];
}

export interface AuditedAgentRun extends AgentRunRecord {
  readonly audit: AuditSummary;
}

/** Where the page gets what it shows. */
export interface PageSource {
  /** The newest state. */
  read(): Promise<PageFacts>;
  /** The diff of a changeset. Throws FlameError `diff-mismatch`. */
  patch(changeset: Changeset, view: PatchView): Promise<Patch>;
  /** The order the files of its patch are read in, and what in them deserves a second look. */
  guide(changeset: Changeset, patch: Patch): Promise<ReadingGuide>;
  /** A file as the changeset leaves it, to show more of it than its diff does; null: it is no text, or too large. */
  text(changeset: Changeset, path: string): Promise<string | null>;
  /** Reads changes since the person saw it last; null: they never did. */
  since(changeset: Changeset): Promise<ChangesSinceSeen | null>;
}

/** How the person likes the page; remembered beyond it. */
export interface ReviewPagePreferences {
  readonly layout: 'side' | 'line';
  readonly theme: 'auto' | 'dark' | 'light';
  /** How its files are listed beside them. */
  readonly order: 'chapters' | 'paths';
}

/** deciding: a gate waits for an answer. working: the run does something else. ended: nothing is decided here any more. */
export type PagePhase = 'deciding' | 'working' | 'ended';

/** Where the run is, in a sentence for every tab; '' while it waits for the person. */
export const phaseMessages: Readonly<Record<PagePhase, string>> = {
  deciding: '',
  working:
    'No changeset waits for you now. The next ones appear here; other questions of the run are at its terminal and on its board.',
  ended: 'This run has ended. You can no longer decide here; git flame status shows the next step.',
};

/** State that changes while the page is open; sent to every tab. */
export interface PageState {
  readonly phase: PagePhase;
  /** One sentence about where the run is; '' while it waits for the person. */
  readonly message: string;
  readonly changesets: readonly ReviewPageChangeset[];
}

export interface ReviewPageChangeset {
  readonly id: string;
  readonly group: string;
  /** Counts the changesets of its group, from 1. */
  readonly round: number;
  /** Whether its group has a later changeset, and it doesn't wait. */
  readonly isEarlier: boolean;
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
  readonly answers: readonly OfferedAnswer[];
  readonly insertions: number;
  readonly deletions: number;
}
