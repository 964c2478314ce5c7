import { byId } from '../../page/client/dom.ts';
import { getJson, post } from '../../page/client/transport.ts';

const themes = ['auto', 'dark', 'light'] as const;
type Theme = (typeof themes)[number];

const button = byId('theme', HTMLButtonElement);

/** The theme, as the person chose it on any page of ours. */
export function wireLook(): void {
  let theme: Theme = 'auto';
  const show = (next: Theme): void => {
    theme = next;
    document.documentElement.dataset.theme = next;
    button.textContent = `Theme: ${next}`;
  };
  button.addEventListener('click', () => {
    show(themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'auto');
    void post('/api/theme', { theme });
  });
  getJson<{ readonly theme: Theme }>('/api/theme').then(
    ({ theme: chosen }) => show(chosen),
    () => undefined,
  );
}
