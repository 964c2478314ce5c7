import { closestElement } from '../../page/client/page-elements.ts';
import { writePageAddress } from './page-address.ts';
import { mainElement, shownChangeset } from './review-state.ts';

/** The file of the changeset shown that has a path; null: none has. */
export function findFile(path: string): HTMLElement | null {
  return mainElement.querySelector<HTMLElement>(`.file[data-path="${CSS.escape(path)}"]`);
}

/** Links to files of the changeset shown lead to them, and into the address. */
export function wireFileLinks(holder: HTMLElement): void {
  holder.addEventListener('click', (event) => {
    const path = closestElement(event.target, 'a[data-path]')?.dataset.path;
    const file = path === undefined ? null : findFile(path);
    if (file === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    addressFile(file, true);
    scrollToFile(file);
  });
}

/** Brings a file to the top of the window and marks it as the current one; its chapter is opened. */
export function scrollToFile(file: HTMLElement): void {
  openChapterOf(file);
  for (const one of mainElement.querySelectorAll('.file[aria-current]')) one.removeAttribute('aria-current');
  file.setAttribute('aria-current', 'true');
  file.scrollIntoView({ block: 'start' });
  file.querySelector<HTMLElement>('.fold')?.focus({ preventScroll: true });
}

export function openChapterOf(file: Element): void {
  closestElement(file, 'details.chapter')?.setAttribute('open', '');
}

/** The file that keys act on. */
export function currentFile(): HTMLElement | null {
  return (
    mainElement.querySelector<HTMLElement>('.file[aria-current]') ?? mainElement.querySelector<HTMLElement>('.file')
  );
}

/** To the next file or the one before; a closed chapter counts as one, and is opened by Enter. */
export function stepFile(by: 1 | -1): void {
  const closed = 'details.chapter:not([open])';
  const stops = [...mainElement.querySelectorAll<HTMLElement>(`.file, ${closed} > summary`)].filter(
    (stop) => stop.tagName === 'SUMMARY' || stop.closest(closed) === null,
  );
  const here = stops.findIndex((stop) => stop.tagName === 'SUMMARY' && stop.matches(':focus'));
  const at = here === -1 ? stops.findIndex((stop) => stop.hasAttribute('aria-current')) : here;
  const next = stops[at === -1 ? 0 : at + by];
  if (next === undefined) return;
  if (next.tagName === 'SUMMARY') {
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: 'center' });
    return;
  }
  addressFile(next, false);
  scrollToFile(next);
}

function addressFile({ dataset: { path = '' } }: HTMLElement, isNew: boolean): void {
  const id = shownChangeset.value?.id;
  if (id !== undefined) writePageAddress({ changeset: id, path }, isNew);
}
