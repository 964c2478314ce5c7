import { nextTheme, requireElementById, type Theme } from '../../page/client/page-elements.ts';
import { getJson, postJson } from '../../page/client/server-requests.ts';
import { moveFocusBetweenNodes } from './graph.tsx';
import { closePanel, openedPanel, openTaskPanel } from './received-board-state.ts';
import { findNextCard, moveFocusBetweenCards } from './task-columns.tsx';
import { switchColumnsAndGraph } from './tasks.tsx';

const help = requireElementById('help', HTMLDialogElement);

/** Handles keys outside of text fields. */
export function wireBoardKeys(): void {
  requireElementById('help-button', HTMLButtonElement).addEventListener('click', () => help.showModal());
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return;
    if (event.key === 'Escape') {
      if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
      else if (closePanel()) event.preventDefault();
      return;
    }
    if (isWriting(event.target)) return;
    if (moveFocusBetweenNodes(event.key) || moveFocusBetweenCards(event.key) || press(event.key))
      event.preventDefault();
  });
}

function press(key: string): boolean {
  switch (key) {
    case '?':
      help.showModal();
      return true;
    case '/':
      document.querySelector<HTMLElement>('#filter')?.focus();
      return true;
    case 'v':
      switchColumnsAndGraph();
      return true;
    case 'w':
      document.querySelector('.gate > details')?.setAttribute('open', '');
      return focusIn('.gate-body', '.dock');
    case 'j':
      return openNext(1);
    case 'k':
      return openNext(-1);
    case 'a':
      return focusIn('#agents', '#work');
    case 'p':
      return focusIn('#graph, #columns', '#plan');
    default:
      return false;
  }
}

/** Opens the task after the one that is open, or before it. */
function openNext(step: 1 | -1): boolean {
  const next = openedPanel.value === null ? null : findNextCard(openedPanel.value.id, step);
  if (next !== null) openTaskPanel(next);
  return next !== null;
}

/** The first thing in a part that can have the focus; the part comes into view in any case. */
function focusIn(inside: string, section: string): boolean {
  document.querySelector(section)?.scrollIntoView({ block: 'nearest' });
  const found = document.querySelector(inside)?.querySelector('button, textarea, a, input');
  if (found instanceof HTMLElement) found.focus();
  return true;
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}

const button = requireElementById('theme', HTMLButtonElement);

/** The theme, as the person chose it on any page of ours. */
export function wireThemeChoice(): void {
  let theme: Theme = 'auto';
  const show = (next: Theme): void => {
    theme = next;
    document.documentElement.dataset.theme = next;
    button.textContent = `Theme: ${next}`;
  };
  button.addEventListener('click', () => {
    show(nextTheme(theme));
    void postJson('/api/theme', { theme });
  });
  getJson<{ readonly theme: Theme }>('/api/theme').then(
    ({ theme: chosen }) => show(chosen),
    () => undefined,
  );
}
