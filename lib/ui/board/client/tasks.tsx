import { computed, signal } from '@preact/signals';
import type { BoardTask } from '../../../domain/view-models/board-view.ts';
import { formatCount } from '../../../util/format-figures.ts';
import { labelTaskStatus } from '../../text/task-status-label.ts';
import { TaskGraphView } from './graph.tsx';
import { shownTasks } from './received-board-state.ts';
import { TaskColumns } from './task-columns.tsx';

/** As the person chose; null: not yet. A plan that waits is shown as what it is, tasks that need each other. */
const chosenGraph = signal<boolean | null>(null);
const narrow = matchMedia('(max-width: 40rem)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});
const isGraph = computed(() => {
  const tasks = Object.values(shownTasks.value);
  const isPlan = tasks.length > 0 && tasks.every(({ status }) => status === 'proposed');
  return chosenGraph.value ?? (isPlan && !isNarrow.value);
});
const filter = signal('');

export function switchColumnsAndGraph(): void {
  chosenGraph.value = !isGraph.value;
}

/** The tasks, in columns by state or as a graph. */
export function TaskSection() {
  const all = Object.entries(shownTasks.value);
  if (all.length === 0) return null;
  const fitting = all.filter(([id, task]) => fits(id, task));
  return (
    <>
      <div class="section-head">
        <h2 id="plan-title">Tasks</h2>
        <p class="quiet" role="status">
          {fitting.length < all.length ? `${fitting.length} of ${formatCount(all.length, 'task')}` : ''}
        </p>
        <div class="section-tools">
          <label class="filter">
            <span class="unseen">Filter tasks</span>
            <input
              id="filter"
              type="search"
              placeholder="Filter tasks"
              aria-keyshortcuts="/"
              value={filter}
              onInput={({ currentTarget }) => {
                filter.value = currentTarget.value;
              }}
              onKeyDown={(event) => {
                if (event.key === 'Escape') filter.value = '';
                if (event.key !== 'Enter') return;
                // Else it would open what it gives the focus to.
                event.preventDefault();
                document.querySelector<HTMLElement>('.task, .node:not(.dim)')?.focus();
              }}
            />
          </label>
          <button type="button" aria-pressed={isGraph.value} aria-keyshortcuts="v" onClick={switchColumnsAndGraph}>
            As a graph <kbd>v</kbd>
          </button>
        </div>
      </div>
      {isGraph.value ? (
        <TaskGraphView fitting={new Set(fitting.map(([id]) => id))} />
      ) : (
        <TaskColumns tasks={fitting} hasGroups={new Set(all.map(([, { group }]) => group)).size > 1} />
      )}
    </>
  );
}

/** Every word that was typed is in its id, title, group, state or files. */
function fits(id: string, task: BoardTask): boolean {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [id, task.title, task.group, labelTaskStatus(task).word, task.by ?? '', ...task.locks].join(' ');
  return words.every((word) => text.toLowerCase().includes(word));
}
