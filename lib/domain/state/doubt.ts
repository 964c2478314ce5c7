/** Something that another clone says has ended, and that is not so in this one. */
export interface Doubt {
  readonly session: string;
  /** Id of the task or changeset; '' of the session itself. */
  readonly about: string;
  /** `merged at 1234abcd5678`. */
  readonly said: string;
  /** As what it counts here; null: nothing of this clone is known of it, and it is left as it is said. */
  readonly counts: string | null;
  /** The branch that would prove it; null: only this clone's word or a signature does. */
  readonly branch: string | null;
}
