import type { TaskStatus } from '../state/task.ts';

/** A task as a graph shows it. */
export interface GraphTask {
  readonly id: string;
  readonly title: string;
  /** proposed: its plan waits for a person. */
  readonly status: TaskStatus | 'proposed';
  readonly group: string;
  /** Ids of tasks whose work it builds on; those that are not in the graph are not drawn. */
  readonly dependencies: readonly string[];
}
