import { byId } from '../../page/client/dom.ts';
import { remember } from './api.ts';
import { app } from './app.ts';
import { forgetOthers, placeEvidence, showAgain } from './changesets.ts';
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
    const theme = themes[(themes.indexOf(app.preferences.theme) + 1) % themes.length] ?? 'auto';
    choose({ ...app.preferences, theme });
  });
  renderLook();
}

export function toggleLayout(): void {
  choose({ ...app.preferences, layout: app.preferences.layout === 'side' ? 'line' : 'side' });
  forgetOthers();
  placeEvidence();
  loadAnew();
}

/** For this tab alone: who looks again another day sees everything. */
export function toggleSpace(): void {
  app.ignoresSpace = !app.ignoresSpace;
  renderLook();
  showAgain();
}

function choose(preferences: typeof app.preferences): void {
  app.preferences = preferences;
  remember(preferences);
  renderLook();
}

function renderLook(): void {
  const { layout, theme } = app.preferences;
  layoutButton.setAttribute('aria-pressed', String(layout === 'side'));
  spaceButton.setAttribute('aria-pressed', String(app.ignoresSpace));
  spaceButton.firstChild?.replaceWith(app.ignoresSpace ? 'White space left out ' : 'White space shown ');
  layoutButton.firstChild?.replaceWith(layout === 'side' ? 'Line by line ' : 'Side by side ');
  themeButton.textContent = `Theme: ${theme}`;
  Object.assign(document.documentElement.dataset, { theme, layout });
}
