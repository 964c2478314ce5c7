import { errorMessage } from '../../../util/error-text.ts';
import { closestElement, createButton, createElement, whenIdle } from '../../page/client/page-elements.ts';
import { getHtml } from '../../page/client/server-requests.ts';
import { showDraftComments } from './comments.ts';
import { drawContextButtons } from './context-buttons.ts';
import { dropUnusedHighlights, highlightDiffPart } from './highlight-diff.ts';
import { markLinesNotRun } from './lines-not-run.ts';
import { mainElement, urlInFile } from './review-state.ts';

const rowHeight = 20;
const headHeight = 40;
const whyHeight = 30;
const fileGap = 16;
const atOnce = 4;
/** As many lines are loaded ahead, so that the browser's own search finds them; a hidden row costs it little. */
const linesAhead = 60_000;

let observer: IntersectionObserver | null = null;
let waiting: HTMLElement[] = [];
/** Parts loaded when none nearer waits. */
let ahead: HTMLElement[] = [];
let running = 0;

/** Gives each file of the changeset that is shown its parts: empty, as high as they will be, loaded once near. */
export function prepareFileParts(): void {
  observer?.disconnect();
  waiting = [];
  observer = new IntersectionObserver(onNear, { rootMargin: '1200px 0px' });
  const heights = new Map<HTMLElement, number>();
  for (const file of mainElement.querySelectorAll<HTMLElement>('.file')) {
    const parts = (file.dataset.parts ?? '').split(' ').filter((count) => count !== '');
    const lines = file.querySelector('.lines');
    const why = file.querySelector('.why') === null ? 0 : whyHeight;
    const whole = parts.reduce((sum, count) => sum + Number(count) * rowHeight, headHeight + why);
    const height = file.hasAttribute('data-folded') ? headHeight : whole;
    file.style.setProperty('contain-intrinsic-size', `auto ${height}px`);
    const bunch = closestElement(file, '.bunch');
    if (bunch !== null) heights.set(bunch, (heights.get(bunch) ?? 0) + height + fileGap);
    if (lines === null) continue;
    for (let index = lines.childElementCount; index < parts.length; index += 1)
      lines.append(emptyPart(index, Number(parts[index])));
  }
  for (const [bunch, height] of heights) {
    bunch.style.setProperty('contain-intrinsic-size', `auto ${height}px`);
    observer.observe(bunch);
  }
  for (const part of mainElement.querySelectorAll<HTMLElement>('.part[data-came]')) {
    part.removeAttribute('data-came');
    leaveRoom(part, Number(part.dataset.lines));
    wirePart(part);
  }
  ahead = partsAhead();
  whenIdle(work);
}

function partsAhead(): HTMLElement[] {
  let room = linesAhead;
  return [...mainElement.querySelectorAll<HTMLElement>('.part:empty')].filter((part) => {
    room -= Number(part.dataset.lines);
    return room >= 0;
  });
}

/** Drops what is loaded and loads it again, as after another layout was chosen. */
export function reloadFiles(): void {
  for (const lines of mainElement.querySelectorAll('.lines')) lines.replaceChildren();
  dropUnusedHighlights();
  prepareFileParts();
}

export function toggleFileFold(file: HTMLElement): void {
  const isFolded = file.toggleAttribute('data-folded');
  file.querySelector('.fold')?.setAttribute('aria-expanded', String(!isFolded));
}

function emptyPart(index: number, lines: number): HTMLElement {
  const part = createElement('div', 'part');
  part.dataset.part = String(index);
  part.dataset.lines = String(lines);
  part.style.setProperty('min-height', `${lines * rowHeight}px`);
  leaveRoom(part, lines);
  return part;
}

/** As high as it is about, while it is out of sight. */
function leaveRoom(part: HTMLElement, lines: number): void {
  part.style.setProperty('contain-intrinsic-size', `auto ${lines * rowHeight}px`);
}

function onNear(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    if (!(target instanceof HTMLElement)) continue;
    if (target.classList.contains('bunch')) {
      watchParts(target, isIntersecting);
      continue;
    }
    if (isIntersecting && target.childElementCount === 0 && !waiting.includes(target)) waiting.push(target);
    // Scrolled past before its turn came.
    if (!isIntersecting) waiting = waiting.filter((part) => part !== target);
  }
  work();
}

/** Only the parts of files that are near are watched: each that is watched costs something at each change of the page. */
function watchParts(bunch: HTMLElement, isNear: boolean): void {
  for (const part of bunch.querySelectorAll('.part:empty'))
    if (isNear) observer?.observe(part);
    else observer?.unobserve(part);
  if (!isNear) waiting = waiting.filter((part) => !bunch.contains(part));
}

function work(): void {
  while (running < atOnce) {
    const part = waiting.shift() ?? nextAhead();
    if (part === undefined) return;
    running += 1;
    observer?.unobserve(part);
    void load(part).then(() => {
      running -= 1;
      if (waiting.length > 0) work();
      else whenIdle(work);
    });
  }
}

/** One at a time, and only while nothing else is loaded. */
function nextAhead(): HTMLElement | undefined {
  if (running > 0) return undefined;
  for (;;) {
    const part = ahead.shift();
    if (part === undefined || (part.isConnected && part.childElementCount === 0)) return part;
  }
}

const loading = new WeakMap<HTMLElement, Promise<void>>();

/** Loads a part that may be far away; resolves once it is drawn. */
export async function loadPart(part: HTMLElement): Promise<void> {
  const isDrawn = part.childElementCount > 0 && !part.classList.contains('failed');
  await (loading.get(part) ?? (isDrawn ? undefined : load(part)));
}

/** Loads everything, opens what is folded, and prints it. */
export async function printAll(): Promise<void> {
  for (const chapter of mainElement.querySelectorAll('details.chapter')) chapter.setAttribute('open', '');
  for (const file of mainElement.querySelectorAll<HTMLElement>('.file[data-folded]')) toggleFileFold(file);
  for (const part of mainElement.querySelectorAll<HTMLElement>('.part:empty, .part.failed')) await loadPart(part);
  print();
}

/** Loads again what could not be loaded, as once the server is there again. */
export function retryFailedParts(): void {
  for (const part of mainElement.querySelectorAll<HTMLElement>('.part.failed')) void load(part);
}

function load(part: HTMLElement): Promise<void> {
  const drawn = draw(part).finally(() => loading.delete(part));
  loading.set(part, drawn);
  return drawn;
}

async function draw(part: HTMLElement): Promise<void> {
  try {
    const html = await getHtml(urlInFile(part, part.dataset.part ?? ''));
    part.classList.remove('failed');
    // Escaped by the server, line by line; and no script that got in would be let run.
    part.innerHTML = html;
    part.style.removeProperty('min-height');
    wirePart(part);
  } catch (error) {
    part.classList.add('failed');
    part.replaceChildren(
      errorMessage(error),
      ' ',
      createButton('Try again', () => void load(part)),
    );
  }
}

/** Wires a part's controls. */
function wirePart(part: HTMLElement): void {
  showDraftComments(part);
  drawContextButtons(part);
  markLinesNotRun(part);
  highlightDiffPart(part);
}
