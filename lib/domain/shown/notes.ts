import type { LeftNote } from '../state/blackboard.ts';

/** One note for later tasks, and whether agents are told it. */
export interface ShownNote extends LeftNote {
  /** Whose worker left it; null: who leads did. */
  readonly task: string | null;
  /**
   * told: to whom it is for · elsewhere: another clone left it, and nobody here accepted it · void: the attempt that
   * left it is not the one whose work counts.
   */
  readonly state: 'told' | 'elsewhere' | 'void';
}
