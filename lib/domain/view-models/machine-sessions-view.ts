/** An open session of any repository of this machine. */
export interface MachineSession {
  /** Its work tree, or the git directory of a bare repository; absolute. */
  readonly repository: string;
  readonly id: string;
  readonly title: string;
  readonly base_branch: string;
  /** `waits` for the person's decision; a command is `running` on it; or it is `paused`, and `next` continues it. */
  readonly standing: 'waits' | 'running' | 'paused';
  /** What waits, one line each, as it is stored; empty unless it waits. */
  readonly waits: readonly string[];
  readonly tasks: { readonly landed: number; readonly all: number };
  /** When its question was asked, else its last change. */
  readonly since: string;
  /** The command to type, for any folder. */
  readonly next: string;
  /** For a board's page alone: a board that runs there. Anyone who has its address can decide there. */
  readonly board?: string;
}

/** A repository that had a session and can't be read now. */
export interface UnreadableRepository {
  readonly repository: string;
  /** `no-such-folder` where it isn't there any more, else the code of the error. */
  readonly code: string;
  readonly message: string;
  /** Commands that mend it; none are known of one that is gone. */
  readonly hints: readonly string[];
}

/** Output of `git flame status --all --json`: stable, scripts rely on it. */
export interface MachineSessionsView {
  readonly schema_version: 1;
  /** Those that wait first, then the paused, then the running; within each the oldest first. */
  readonly sessions: readonly MachineSession[];
  /** Repositories whose sessions have all ended. */
  readonly ended: readonly string[];
  readonly unreadable: readonly UnreadableRepository[];
}
