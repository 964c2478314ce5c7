import { closestElement } from '../../page/client/page-elements.ts';
import { toggleFileFold } from './load-file-parts.ts';
import { kept, mainElement, saveUnfinishedReview } from './review-state.ts';

const marks = new Set(kept.viewed);
let onChange: (file?: HTMLElement) => void = () => undefined;

/** Whether the person has marked exactly this content of the file as viewed. */
export function isViewed(file: HTMLElement): boolean {
  return marks.has(markOf(file));
}

/** A mark folds its file, and stays with it until its content changes. */
export function wireViewed(changed: (file?: HTMLElement) => void): void {
  onChange = changed;
  mainElement.addEventListener('change', (event) => {
    const file = closestElement(event.target, '.file');
    if (closestElement(event.target, '.viewed') !== null && file !== null) toggleViewed(file);
  });
}

/** Brings the marks of the files that are shown in line with what is remembered. */
export function showViewed(): void {
  for (const file of mainElement.querySelectorAll<HTMLElement>('.file')) {
    if (isViewed(file)) fold(file);
    draw(file);
  }
  onChange();
}

export function toggleViewed(file: HTMLElement): void {
  const mark = markOf(file);
  const is = !marks.has(mark);
  if (is) marks.add(mark);
  else marks.delete(mark);
  saveUnfinishedReview({ kind: 'viewed', mark, is });
  if (is) fold(file);
  draw(file);
  onChange(file);
}

function fold(file: HTMLElement): void {
  if (!file.hasAttribute('data-folded')) toggleFileFold(file);
}

function draw(file: HTMLElement): void {
  const box = file.querySelector<HTMLInputElement>('.viewed input');
  if (box !== null) box.checked = isViewed(file);
}

function markOf({ dataset }: HTMLElement): string {
  return `${dataset.path ?? ''} ${dataset.content ?? ''}`;
}
