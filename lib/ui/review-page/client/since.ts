import { around } from '../../page/client/dom.ts';
import { app, main } from './app.ts';
import { showAgain } from './changesets.ts';

/** Wires the button that shows what changed since the last round alone. */
export function wireSince(): void {
  main.addEventListener('click', (event) => {
    if (around(event.target, '.since-toggle') !== null) toggleSince();
  });
}

/** For this tab alone, and only where there was an earlier round: who looks again sees everything. */
export function toggleSince(): void {
  if (main.querySelector('.since-toggle') === null) return;
  app.isSince = !app.isSince;
  showAgain();
}
