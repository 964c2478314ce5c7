/** An end that only another clone reports, and that nothing here proves. */
export interface UnverifiedCompletion {
  readonly session: string;
  /** Id of the task or changeset; '' of the session itself. */
  readonly about: string;
  /** `merged at 1234abcd5678`. */
  readonly said: string;
  /** As what it counts here; null: this clone has no version of it, and leaves it as it is reported. */
  readonly counts: string | null;
  /** The branch that would prove it; null: only a decision of this clone or a signature does. */
  readonly branch: string | null;
}
