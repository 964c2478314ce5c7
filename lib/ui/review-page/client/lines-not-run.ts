import { closestElement } from '../../page/client/page-elements.ts';

/** Marks the added lines of a part that no test ran, as far as the file's coverage says. */
export function markLinesNotRun(part: HTMLElement): void {
  const text = closestElement(part, '.file')?.dataset.notRun ?? '';
  if (text === '') return;
  const ranges = text.split(' ').map((range) => range.split('-').map(Number));
  for (const number of part.querySelectorAll<HTMLElement>('tr.d2h-ins td.n.w, td.n.w.d2h-ins')) {
    const line = Number(number.textContent);
    if (!ranges.some(([from = 0, to = 0]) => line >= from && line <= to)) continue;
    number.classList.add('not-run');
    number.title = 'No test ran this line.';
  }
}
