import { byId } from '../../page/client/dom.ts';
import { remember } from './api.ts';
import { look, main } from './app.ts';
import { forgetOthers, placeEvidence, showAgain } from './changesets.tsx';
import { loadAnew } from './files.ts';

const layoutButton = byId('layout', HTMLButtonElement);
const spaceButton = byId('space', HTMLButtonElement);
const themeButton = byId('theme', HTMLButtonElement);
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

export function toggleLayout(): void {
  choose({ ...look.preferences, layout: look.preferences.layout === 'side' ? 'line' : 'side' });
  forgetOthers();
  placeEvidence();
  loadAnew();
}

/** For this tab alone: who looks again another day sees everything. */
export function toggleSpace(): void {
  look.ignoresSpace = !look.ignoresSpace;
  renderLook();
  showAgain();
}

/** For this tab alone, and only where there was an earlier round: who looks again sees everything. */
export function toggleSince(): void {
  if (main.querySelector('.since-toggle') === null) return;
  look.isSince = !look.isSince;
  showAgain();
}

function choose(preferences: typeof look.preferences): void {
  look.preferences = preferences;
  remember(preferences);
  renderLook();
}

function renderLook(): void {
  const { layout, theme } = look.preferences;
  layoutButton.setAttribute('aria-pressed', String(layout === 'side'));
  spaceButton.setAttribute('aria-pressed', String(look.ignoresSpace));
  spaceButton.firstChild?.replaceWith(look.ignoresSpace ? 'White space left out ' : 'White space shown ');
  layoutButton.firstChild?.replaceWith(layout === 'side' ? 'Line by line ' : 'Side by side ');
  themeButton.textContent = `Theme: ${theme}`;
  Object.assign(document.documentElement.dataset, { theme, layout });
}
