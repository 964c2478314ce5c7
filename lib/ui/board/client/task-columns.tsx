import { useLayoutEffect } from 'preact/hooks';
import type { BoardTask } from '../../../domain/view-models/board-view.ts';
import { formatUsd } from '../../../util/format-figures.ts';
import { labelTaskStatus, type TaskStatusLabel } from '../../text/task-status-label.ts';
import { describeOverlaps, describeSpent } from './board-texts.ts';
import { nameTasks, openedPanel, openTaskPanel, shownTasks, titleOf } from './received-board-state.ts';
import { ForeignText } from './text-components.tsx';

type Named = readonly [id: string, task: BoardTask];

/** Where tasks of a kind stand; `needed`: a column that is there although it is empty. */
const columns: readonly {
  readonly title: string;
  readonly kinds: readonly TaskStatusLabel['kind'][];
  readonly needed: boolean;
}[] = [
  { title: 'Failed or blocked', kinds: ['bad'], needed: false },
  { title: 'Waiting', kinds: ['planned', 'waits'], needed: true },
  { title: 'Working', kinds: ['works'], needed: true },
  { title: 'Checking', kinds: ['checks'], needed: true },
  { title: 'Passed', kinds: ['good'], needed: true },
  { title: 'Landed', kinds: ['landed'], needed: true },
  { title: 'Dropped', kinds: ['over'], needed: false },
];

/** Of more, those out of sight are not drawn. */
const manyTasks = 60;

/** The tasks by what has become of them, in each column by their groups. */
export function TaskColumns({ tasks, hasGroups }: { readonly tasks: readonly Named[]; readonly hasGroups: boolean }) {
  const filled = columns
    .map((column) => ({
      ...column,
      tasks: tasks.filter(([, task]) => column.kinds.includes(labelTaskStatus(task).kind)),
    }))
    .filter((column) => column.needed || column.tasks.length > 0);
  const widths = filled.map((column) => (column.tasks.length === 0 ? 'minmax(6.2rem, 0.25fr)' : 'minmax(9rem, 1fr)'));
  useKeptCardFocus();
  return (
    <div
      id="columns"
      class={tasks.length > manyTasks ? 'columns many' : 'columns'}
      style={`grid-template-columns: ${widths.join(' ')}`}
    >
      {filled.map(({ title, kinds: [kind], tasks: own }) => (
        <section key={title} class={own.length === 0 ? 'column empty' : 'column'} data-kind={kind}>
          <h3>
            {title} <span class="count">{own.length}</span>
          </h3>
          <div class="column-tasks">
            {groupsOf(own).map(([group, members]) => (
              <div class="group" key={group}>
                {hasGroups && (
                  <h4>
                    <ForeignText>{group}</ForeignText>
                  </h4>
                )}
                <ul>
                  {members.map(([id, task]) => (
                    <li key={id}>
                      <TaskCard id={id} task={task} />
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

/** Gives the focus back to a card that went to another column with it. */
function useKeptCardFocus(): void {
  const id = document.activeElement?.closest<HTMLElement>('.task')?.dataset.id;
  useLayoutEffect(() => {
    if (id === undefined || document.activeElement !== document.body) return;
    document.querySelector<HTMLElement>(`.task[data-id="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
  });
}

function groupsOf(tasks: readonly Named[]): readonly (readonly [group: string, tasks: readonly Named[]])[] {
  const groups = new Map<string, Named[]>();
  const sorted = [...tasks].sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));
  for (const one of sorted) groups.set(one[1].group, [...(groups.get(one[1].group) ?? []), one]);
  return [...groups];
}

function TaskCard({ id, task }: { readonly id: string; readonly task: BoardTask }) {
  const { symbol, word, kind } = labelTaskStatus(task);
  const open = task.needs.filter((need) => !isSettled(need));
  const isUnsaid = kind === 'waits' && task.because.length === 0 && open.length > 0;
  const waits = isUnsaid ? `after ${open.map(titleOf).join(', ')}` : '';
  const spent = task.cost_usd > 0 ? formatUsd(task.cost_usd) : describeSpent(task);
  const attempt = task.attempts > 1 ? `attempt ${task.attempts}` : '';
  // What the head of its column says already.
  const isSaid = kind !== 'bad' && task.status !== 'requeued' && task.status !== 'proposed';
  return (
    <button
      type="button"
      class="task"
      data-kind={kind}
      data-id={id}
      aria-current={openedPanel.value?.id === id}
      onClick={() => openTaskPanel(id)}
    >
      <ForeignText class="task-title">{task.title}</ForeignText>
      {task.because.slice(0, 2).map((text) => (
        <ForeignText class="task-why because">{nameTasks(text)}</ForeignText>
      ))}
      {waits !== '' && <ForeignText class="task-why">{waits}</ForeignText>}
      <span class="task-note">
        <span class="sign" aria-hidden="true">
          {symbol}
        </span>
        <span class={isSaid ? 'unseen' : ''}>{`${word} · `}</span>
        <span class="whole">{id}</span>
        {[attempt, describeOverlaps(task), spent].filter(Boolean).map((part) => ` · ${part}`)}
      </span>
    </button>
  );
}

function isSettled(id: string): boolean {
  const status = shownTasks.value[id]?.status;
  return status === 'done' || status === 'merged';
}

/** Moves the focus between cards by an arrow key; false: it is none, or no card has the focus. */
export function moveFocusBetweenCards(key: string): boolean {
  const card = document.activeElement?.closest<HTMLElement>('.task');
  const column = card?.closest('.column');
  if (card == null || column == null) return false;
  const step = key === 'ArrowDown' || key === 'ArrowRight' ? 1 : key === 'ArrowUp' || key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return false;
  const own = cardsIn(column);
  if (key === 'ArrowDown' || key === 'ArrowUp') own[own.indexOf(card) + step]?.focus();
  else {
    const others = [...document.querySelectorAll('.column')].filter((one) => one === column || cardsIn(one).length > 0);
    const next = others[others.indexOf(column) + step];
    if (next !== undefined) nearestIn(cardsIn(next), card)?.focus();
  }
  return true;
}

/** The task before or after one, in the order in which their cards are read; null: there is none. */
export function findNextCard(id: string, step: 1 | -1): string | null {
  const all = [...document.querySelectorAll<HTMLElement>('.task, .node')].map(({ dataset }) => dataset.id ?? '');
  const at = all.indexOf(id);
  return at === -1 ? null : (all[at + step] ?? null);
}

function cardsIn(column: Element): readonly HTMLElement[] {
  return [...column.querySelectorAll<HTMLElement>('.task')];
}

/** The card at about the same height. */
function nearestIn(cards: readonly HTMLElement[], { offsetTop }: HTMLElement): HTMLElement | undefined {
  const away = (card: HTMLElement): number => Math.abs(card.offsetTop - offsetTop);
  return [...cards].sort((one, other) => away(one) - away(other))[0];
}
