import { computed, signal } from '@preact/signals';
import { type BoardState, emptyBoardState } from '../../../domain/view-models/board-view.ts';

/** The session's state as this tab has received it. */
export const boardState = signal<BoardState>(emptyBoardState);
/** Components that read these are drawn again only where a task has changed. */
export const shownTasks = computed(() => boardState.value.tasks);
/** False while the shown state may be stale. */
export const isFresh = signal(false);
/** The session that was chosen; null: the current one. */
export const chosenSession = signal(new URLSearchParams(location.hash.slice(1)).get('session'));
/** What the panel beside the board shows; null: it is closed. */
export const openedPanel = signal<{ readonly kind: 'task' | 'agent'; readonly id: string } | null>(null);
/** The agent that a hint is being written to. */
export const hintedAgent = signal<string | null>(null);

/** A path of this page, about the session that is shown. */
export function addSessionToPath(path: string): string {
  return chosenSession.value === null ? path : `${path}?session=${encodeURIComponent(chosenSession.value)}`;
}

/** A task's title, or its id where there is none. */
export function titleOf(id: string): string {
  return shownTasks.value[id]?.title ?? id;
}

/** A text of ours with the titles of tasks for their ids; ids that are plain words stay. */
export function nameTasks(text: string): string {
  return text.replace(/[\w-]+/g, (word) =>
    /[\d-]/.test(word) && word in shownTasks.value ? `"${titleOf(word)}"` : word,
  );
}

/** Opens an agent, at its task where it has one. */
export function openAgentPanel(id: string): void {
  const task = boardState.value.agents.find((one) => one.id === id)?.task ?? null;
  openedPanel.value = task === null ? { kind: 'agent', id } : { kind: 'task', id: task };
}

export function openTaskPanel(id: string): void {
  openedPanel.value = { kind: 'task', id };
}

/** false: nothing was open. */
export function closePanel(): boolean {
  const wasOpen = openedPanel.value !== null;
  openedPanel.value = null;
  hintedAgent.value = null;
  return wasOpen;
}
