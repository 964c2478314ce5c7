import { signal } from '@preact/signals';
import type { BoardTask } from '../../../domain/view-models/board-view.ts';
import { formatCount } from '../../../util/format-figures.ts';
import { describeOverlaps, describeSpent, labelTaskStatus, type TaskStatusLabel } from './board-texts.ts';
import { TaskGraphView } from './graph.tsx';
import { openedPanel, openTaskPanel, shownTasks } from './received-board-state.ts';
import { ForeignText } from './text-components.tsx';

/** A screen that is narrower shows the plan as a list at first. */
const narrow = matchMedia('(max-width: 40rem)');
const isList = signal(narrow.matches);
const filter = signal('');

export function switchGraphAndList(): void {
  isList.value = !isList.value;
}

/** The tasks, as a graph or as a list. */
export function TaskGraphOrList() {
  const all = Object.entries(shownTasks.value);
  const fitting = all.filter(([id, task]) => fits(id, task)).sort(byUrgency);
  const count = formatCount(all.length, 'task');
  return (
    <>
      <div class="section-head">
        <h2 id="plan-title">Plan</h2>
        <p class="quiet">{fitting.length < all.length ? `${fitting.length} of ${count}` : count}</p>
        <div class="section-tools">
          <label class="filter">
            <span class="unseen">Filter tasks</span>
            <input
              id="filter"
              type="search"
              placeholder="Filter tasks"
              aria-keyshortcuts="/"
              onInput={({ currentTarget }) => {
                filter.value = currentTarget.value;
              }}
            />
          </label>
          <button type="button" aria-pressed={isList.value} aria-keyshortcuts="v" onClick={switchGraphAndList}>
            As a list <kbd>v</kbd>
          </button>
        </div>
      </div>
      {isList.value ? (
        <ul id="list" class="rows tasks">
          {fitting.map(([id, task]) => (
            <li class="row" key={id}>
              <TaskRow id={id} task={task} />
            </li>
          ))}
        </ul>
      ) : (
        <TaskGraphView fitting={new Set(fitting.map(([id]) => id))} />
      )}
      {all.length === 0 && <p class="quiet">No tasks yet.</p>}
    </>
  );
}

/** Every word that was typed is in its id, title, group, state or files. */
function fits(id: string, task: BoardTask): boolean {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [id, task.title, task.group, labelTaskStatus(task).word, task.by ?? '', ...task.locks].join(' ');
  return words.every((word) => text.toLowerCase().includes(word));
}

const urgency: readonly TaskStatusLabel['kind'][] = ['bad', 'works', 'planned', 'waits', 'good', 'landed', 'over'];

function byUrgency([id, task]: readonly [string, BoardTask], [otherId, other]: readonly [string, BoardTask]): number {
  const [one, two] = [task, other].map((each) => urgency.indexOf(labelTaskStatus(each).kind));
  return (one ?? 0) - (two ?? 0) || id.localeCompare(otherId, 'en', { numeric: true });
}

function TaskRow({ id, task }: { readonly id: string; readonly task: BoardTask }) {
  const { symbol, word, kind } = labelTaskStatus(task);
  const needs = task.needs.length === 0 ? '' : `after ${task.needs.join(', ')}`;
  return (
    <button
      type="button"
      class="row-button"
      data-kind={kind}
      data-id={id}
      aria-current={openedPanel.value?.id === id}
      onClick={() => openTaskPanel(id)}
    >
      <span class="row-head">
        <span class="sign">{symbol}</span>
        <b>{id}</b>
        <span class={`badge ${kind}`}>{word}</span>
        {task.attempts > 1 && <span class="row-end quiet">{`attempt ${task.attempts}`}</span>}
      </span>
      <ForeignText class="row-title">{task.title}</ForeignText>
      <span class="row-note quiet">
        {[task.group, needs, describeOverlaps(task), describeSpent(task)].filter(Boolean).join(' · ')}
      </span>
      {task.because.slice(0, 2).map((why) => (
        <ForeignText class="row-note">{why}</ForeignText>
      ))}
    </button>
  );
}
