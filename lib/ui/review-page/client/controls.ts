import { byId, closestElement } from '../../page/client/dom.ts';
import { look, main, savePreferences } from './app.ts';
import { press } from './bar.tsx';
import { forgetOthers, placeEvidence, redrawChangeset, showNeighbour } from './changesets.tsx';
import { disarm, takeBack } from './decide.ts';
import { focusFilter, showFile } from './file-tree.ts';
import { printAll, reloadFiles, toggleFile } from './files.ts';
import { openFind } from './find.ts';
import { toggleViewed } from './viewed.ts';

const help = byId('help', HTMLDialogElement);

const layoutButton = byId('layout', HTMLButtonElement);
const spaceButton = byId('space', HTMLButtonElement);
const themeButton = byId('theme', HTMLButtonElement);

const actions: Readonly<Record<string, () => void>> = {
  j: () => showNeighbour(1),
  k: () => showNeighbour(-1),
  n: () => stepFile(1),
  p: () => stepFile(-1),
  o: () => {
    const file = currentFile();
    if (file !== null) toggleFile(file);
  },
  u: () => void takeBack(),
  v: toggleLayout,
  w: toggleSpace,
  i: toggleSince,
  m: () => {
    const file = currentFile();
    if (file !== null) toggleViewed(file);
  },
  t: focusFilter,
  '/': openFind,
  '?': () => help.showModal(),
  Escape: disarm,
};

/** One key each, unless something is being written or the browser is meant. */
export function wireKeys(): void {
  byId('help-button', HTMLButtonElement).addEventListener('click', () => help.showModal());
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'p') {
      event.preventDefault();
      void printAll();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (closestElement(event.target, 'textarea, input, dialog') !== null) return;
    const action = actions[event.key];
    if (action === undefined && !press(event.key)) return;
    event.preventDefault();
    action?.();
  });
}

function currentFile(): HTMLElement | null {
  return main.querySelector<HTMLElement>('.file[aria-current]') ?? main.querySelector<HTMLElement>('.file');
}

function stepFile(by: 1 | -1): void {
  const files = [...main.querySelectorAll<HTMLElement>('.file')];
  const at = files.findIndex((file) => file.hasAttribute('aria-current'));
  const next = files[at === -1 ? 0 : at + by];
  if (next === undefined) return;
  showFile(next);
}

const themes = ['auto', 'dark', 'light'] as const;

/** Side by side or by line, dark or light: the person's choice, remembered. */
export function wireLook(): void {
  layoutButton.addEventListener('click', toggleLayout);
  spaceButton.addEventListener('click', toggleSpace);
  themeButton.addEventListener('click', () => {
    const theme = themes[(themes.indexOf(look.preferences.theme) + 1) % themes.length] ?? 'auto';
    choose({ ...look.preferences, theme });
  });
  renderLook();
}

function toggleLayout(): void {
  choose({ ...look.preferences, layout: look.preferences.layout === 'side' ? 'line' : 'side' });
  forgetOthers();
  placeEvidence();
  reloadFiles();
}

/** For this tab alone: who looks again another day sees everything. */
function toggleSpace(): void {
  look.ignoresSpace = !look.ignoresSpace;
  renderLook();
  redrawChangeset();
}

/** For this tab alone, and only where there was an earlier round: who looks again sees everything. */
export function toggleSince(): void {
  if (main.querySelector('.since-toggle') === null) return;
  look.isSince = !look.isSince;
  redrawChangeset();
}

function choose(preferences: typeof look.preferences): void {
  look.preferences = preferences;
  savePreferences(preferences);
  renderLook();
}

function renderLook(): void {
  const { layout, theme } = look.preferences;
  layoutButton.setAttribute('aria-pressed', String(layout === 'side'));
  spaceButton.setAttribute('aria-pressed', String(look.ignoresSpace));
  spaceButton.firstChild?.replaceWith(look.ignoresSpace ? 'Show whitespace ' : 'Hide whitespace ');
  layoutButton.firstChild?.replaceWith(layout === 'side' ? 'Line by line ' : 'Side by side ');
  themeButton.textContent = `Theme: ${theme}`;
  Object.assign(document.documentElement.dataset, { theme, layout });
}
