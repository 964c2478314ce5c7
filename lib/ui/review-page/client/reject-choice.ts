import { nameLines } from '../../../domain/state/line-range.ts';
import { byId, make } from '../../page/client/dom.ts';
import type { ChangesetState } from '../page-state.ts';
import { current } from './app.ts';
import { draftsHere } from './drafts.ts';

const taskChoice = byId('reason-tasks', HTMLFieldSetElement);
const taskList = byId('reason-task-list', HTMLDivElement);

/** Fills in what the dialog offers beside the reason: which tasks go back, and the comments that go along. */
export function showChoice(isReject: boolean): void {
  const tasks = isReject ? (current()?.tasks ?? []) : [];
  taskChoice.hidden = tasks.length < 2;
  taskList.replaceChildren(...tasks.map(taskBox));
  byId('reason-comments', HTMLDivElement).replaceChildren(...listComments());
}

/** What a rejection of the changeset that is shown means. */
export function describeReject(): string {
  const isOne = (current()?.tasks.length ?? 0) < 2;
  return isOne
    ? 'Its task goes back to its worker with this reason.'
    : 'What goes back goes to its workers with this reason; the rest is built again without it.';
}

/** All of them go back unless the person says otherwise. */
function taskBox({ id, title }: ChangesetState['tasks'][number]): HTMLElement {
  const box = make('input', '');
  box.type = 'checkbox';
  box.checked = true;
  box.value = id;
  return make('label', 'choice', box, ' ', make('code', '', id), ` ${title}`);
}

/** Those that are ticked; undefined: all of them. */
export function chosenTasks(): readonly string[] | undefined {
  const boxes = [...taskList.querySelectorAll('input')];
  const chosen = boxes.filter(({ checked }) => checked);
  return chosen.length === boxes.length ? undefined : chosen.map(({ value }) => value);
}

function listComments(): readonly Node[] {
  const drafts = draftsHere();
  if (drafts.length === 0)
    return [make('p', 'quiet', 'Comments on lines go along: click a line number, or drag over several.')];
  const items = drafts.map(({ path, text, ...at }) => make('li', '', `${path}:${nameLines(at)}: ${text}`));
  return [make('p', 'quiet', `These comments go along:`), make('ul', '', ...items)];
}
