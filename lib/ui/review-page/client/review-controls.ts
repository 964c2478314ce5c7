import { closestElement, nextTheme, requireElementById } from '../../page/client/page-elements.ts';
import { dropHiddenChangesets, redrawChangeset, showNeighbour } from './changesets.ts';
import { pressAnswerKey } from './decision-bar.tsx';
import { currentFile, stepFile } from './file-place.ts';
import { focusFileFilter } from './file-tree.ts';
import { printAll, reloadFiles, toggleFileFold } from './load-file-parts.ts';
import { mainElement, savePreferences, viewSettings } from './review-state.ts';
import { clearReadyAnswer, sendTakeBack } from './send-decision.ts';
import { openFind } from './text-search.ts';
import { toggleViewed } from './viewed-marks.ts';

const help = requireElementById('help', HTMLDialogElement);

const layoutButton = requireElementById('layout', HTMLButtonElement);
const spaceButton = requireElementById('space', HTMLButtonElement);
const themeButton = requireElementById('theme', HTMLButtonElement);

const actions: Readonly<Record<string, () => void>> = {
  j: () => showNeighbour(1),
  k: () => showNeighbour(-1),
  n: () => stepFile(1),
  p: () => stepFile(-1),
  o: () => {
    const file = currentFile();
    if (file !== null) toggleFileFold(file);
  },
  u: () => void sendTakeBack(),
  v: toggleLayout,
  w: toggleSpace,
  i: toggleOnlyNewChanges,
  m: () => {
    const file = currentFile();
    if (file !== null) toggleViewed(file);
  },
  t: focusFileFilter,
  '/': openFind,
  '?': () => help.showModal(),
  Escape: clearReadyAnswer,
};

/** One key each, unless something is being written or the browser is meant. */
export function wireReviewKeys(): void {
  requireElementById('help-button', HTMLButtonElement).addEventListener('click', () => help.showModal());
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'p') {
      event.preventDefault();
      void printAll();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (closestElement(event.target, 'textarea, input, dialog') !== null) return;
    const action = actions[event.key];
    if (action === undefined && !pressAnswerKey(event.key)) return;
    // Escape also closes what the browser has opened.
    if (event.key !== 'Escape') event.preventDefault();
    action?.();
  });
}

/** Side by side or by line, dark or light: the person's choice, remembered. */
export function wireLayoutAndTheme(): void {
  layoutButton.addEventListener('click', toggleLayout);
  spaceButton.addEventListener('click', toggleSpace);
  themeButton.addEventListener('click', () => {
    choose({ ...viewSettings.preferences, theme: nextTheme(viewSettings.preferences.theme) });
  });
  renderLook();
}

function toggleLayout(): void {
  choose({
    ...viewSettings.preferences,
    layout: viewSettings.preferences.layout === 'side' ? 'line' : 'side',
  });
  dropHiddenChangesets();
  reloadFiles();
}

/** For this tab alone: who looks again another day sees everything. */
function toggleSpace(): void {
  viewSettings.ignoresSpace = !viewSettings.ignoresSpace;
  renderLook();
  redrawChangeset();
}

/** For this tab alone, and only where there was an earlier round: who looks again sees everything. */
export function toggleOnlyNewChanges(): void {
  if (mainElement.querySelector('.since-toggle') === null) return;
  viewSettings.isSince = !viewSettings.isSince;
  redrawChangeset();
}

function choose(preferences: typeof viewSettings.preferences): void {
  viewSettings.preferences = preferences;
  savePreferences(preferences);
  renderLook();
}

function renderLook(): void {
  const { layout, theme } = viewSettings.preferences;
  layoutButton.setAttribute('aria-pressed', String(layout === 'side'));
  spaceButton.setAttribute('aria-pressed', String(viewSettings.ignoresSpace));
  spaceButton.firstChild?.replaceWith(viewSettings.ignoresSpace ? 'Show whitespace ' : 'Hide whitespace ');
  layoutButton.firstChild?.replaceWith(layout === 'side' ? 'Line by line ' : 'Side by side ');
  themeButton.textContent = `Theme: ${theme}`;
  Object.assign(document.documentElement.dataset, { theme, layout });
}
