import type { LeftNote } from '../state/blackboard.ts';

/** One note for later tasks, and whether agents get it. */
export interface ShownNote extends LeftNote {
  /** The task whose worker left it; null: the lead did. */
  readonly task: string | null;
  /**
   * told: agents it is for get it · elsewhere: another clone left it, and no person accepted it here · void: the
   * attempt that left it is not the one whose work counts.
   */
  readonly state: 'told' | 'elsewhere' | 'void';
}
