import { computed, signal } from '@preact/signals';
import type { BoardState } from '../../../domain/view-models/board.ts';
import { emptyBoard } from '../board-changes.ts';

/** The panel open beside the board. */
interface Opened {
  readonly kind: 'task' | 'agent';
  readonly id: string;
}

/** The session's state as this tab has received it. */
export const state = signal<BoardState>(emptyBoard);
/** Components that read these are drawn again only where a task has changed. */
export const tasks = computed(() => state.value.tasks);
/** False while the shown state may be stale. */
export const isFresh = signal(false);
/** The session that was chosen; null: the current one. */
export const session = signal(new URLSearchParams(location.hash.slice(1)).get('session'));
export const opened = signal<Opened | null>(null);
/** The agent that a hint is being written to. */
export const hintedAgent = signal<string | null>(null);

/** A path of this page, about the session that is shown. */
export function about(path: string): string {
  return session.value === null ? path : `${path}?session=${encodeURIComponent(session.value)}`;
}

/** Opens an agent, at its task where it has one. */
export function openAgent(id: string): void {
  const task = state.value.agents.find((one) => one.id === id)?.task ?? null;
  opened.value = task === null ? { kind: 'agent', id } : { kind: 'task', id: task };
}

export function openTask(id: string): void {
  opened.value = { kind: 'task', id };
}

/** false: nothing was open. */
export function close(): boolean {
  const wasOpen = opened.value !== null;
  opened.value = null;
  hintedAgent.value = null;
  return wasOpen;
}
