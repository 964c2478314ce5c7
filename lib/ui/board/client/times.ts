import { formatDuration } from '../../../util/format-time.ts';
import { make } from '../../page/client/dom.ts';
import { app } from './app.ts';

/** How long ago something began, kept up to date; `since` is an ISO time. */
export function makeElapsed(since: string): HTMLElement {
  const element = make('time', 'elapsed');
  element.dateTime = since;
  showElapsed(element);
  return element;
}

/** A moment as a clock shows it here, with the day where that is another one. */
export function makeMoment(at: string): HTMLElement {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  const clock = time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  const day = time.toLocaleDateString([], { month: 'short', day: 'numeric' });
  const element = make('time', '', Number.isNaN(time.getTime()) ? at : isToday ? clock : `${day}, ${clock}`);
  element.dateTime = at;
  element.title = at;
  return element;
}

/** Keeps every elapsed time on the page going. */
export function startClock(): void {
  setInterval(() => {
    for (const element of document.querySelectorAll<HTMLTimeElement>('time.elapsed')) showElapsed(element);
  }, 1_000);
}

function showElapsed(element: HTMLTimeElement): void {
  const ms = Date.now() + app.clockAhead - Date.parse(element.dateTime);
  // Tenths of a second would flicker.
  const text = formatDuration(Math.max(0, Math.round(ms / 1_000) * 1_000)).replace('.0 s', ' s');
  const shown = text === '0 ms' ? '0 s' : text;
  if (element.textContent !== shown) element.textContent = shown;
}
