import { remember } from './api.ts';
import { app } from './app.ts';
import { byId } from './dom.ts';
import { loadAnew } from './files.ts';

const layoutButton = byId('layout', HTMLButtonElement);
const themeButton = byId('theme', HTMLButtonElement);
const themes = ['auto', 'dark', 'light'] as const;

/** Side by side or by line, dark or light: the person's choice, remembered. */
export function wireLook(): void {
  layoutButton.addEventListener('click', toggleLayout);
  themeButton.addEventListener('click', () => {
    const theme = themes[(themes.indexOf(app.preferences.theme) + 1) % themes.length] ?? 'auto';
    choose({ ...app.preferences, theme });
  });
  renderLook();
}

export function toggleLayout(): void {
  choose({ ...app.preferences, layout: app.preferences.layout === 'side' ? 'line' : 'side' });
  loadAnew();
}

function choose(preferences: typeof app.preferences): void {
  app.preferences = preferences;
  remember(preferences);
  renderLook();
}

function renderLook(): void {
  const { layout, theme } = app.preferences;
  layoutButton.setAttribute('aria-pressed', String(layout === 'side'));
  layoutButton.firstChild?.replaceWith(layout === 'side' ? 'Line by line ' : 'Side by side ');
  themeButton.textContent = `Theme: ${theme}`;
  document.documentElement.dataset.theme = theme;
}
