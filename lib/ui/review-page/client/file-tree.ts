import { formatNumber } from '../../../util/format-figures.ts';
import { createElement, requireElementById } from '../../page/client/page-elements.ts';
import { mainElement } from './review-state.ts';
import { isViewed } from './viewed-marks.ts';

const section = requireElementById('files', HTMLElement);
const holder = requireElementById('file-tree', HTMLDivElement);
const filter = requireElementById('file-filter', HTMLInputElement);
const list = requireElementById('file-list', HTMLDetailsElement);
const count = requireElementById('file-count', HTMLSpanElement);
// As in the styles: there it stands above the diff, not beside it.
const narrow = matchMedia('(max-width: 60rem)');
// More than fit on a few screens begin with their folders closed, and come in portions.
const mostOpen = 200;

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: HTMLElement[];
  /** Count of it and all below it. */
  count: number;
}

/** The changeset whose files were read last, with their names as they are searched. */
let known: { readonly article: Element | null; readonly files: readonly KnownFile[] } = {
  article: null,
  files: [],
};

type KnownFile = readonly [file: HTMLElement, name: string, folders: readonly string[]];

/** The files of the changeset that is shown, by folder, beside them. */
export function wireFileTree(): void {
  const fold = (): void => void list.toggleAttribute('open', !narrow.matches);
  narrow.addEventListener('change', fold);
  fold();
  filter.addEventListener('input', drawTree);
  filter.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    filter.value = '';
    drawTree();
    mainElement.focus();
  });
  holder.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const file = link === null ? null : document.getElementById(link.hash.slice(1));
    if (file === null) return;
    event.preventDefault();
    scrollToFile(file);
  });
}

/** Brings a file to the top of the window and marks it as the current one. */
export function scrollToFile(file: HTMLElement): void {
  for (const one of mainElement.querySelectorAll('.file[aria-current]')) one.removeAttribute('aria-current');
  file.setAttribute('aria-current', 'true');
  file.scrollIntoView({ block: 'start' });
  file.querySelector<HTMLElement>('.fold')?.focus({ preventScroll: true });
}

export function focusFileFilter(): void {
  list.open = true;
  filter.focus();
  filter.select();
}

/** All of it, as for another changeset; or, where one file was marked alone, that. */
export function renderFileTree(marked?: HTMLElement): void {
  const files = filesHere();
  section.hidden = files.length < 2;
  const viewed = files.filter(([file]) => isViewed(file)).length;
  count.textContent = `${viewed} of ${files.length} viewed`;
  if (marked === undefined) drawTree();
  else holder.querySelector(`a[href="#${CSS.escape(marked.id)}"]`)?.classList.toggle('viewed', isViewed(marked));
}

function filesHere(): typeof known.files {
  const article = mainElement.querySelector('.changeset');
  if (article !== known.article) {
    const files = [...mainElement.querySelectorAll<HTMLElement>('.file')];
    known = { article, files: files.map(readFile) };
  }
  return known.files;
}

function readFile(file: HTMLElement): KnownFile {
  const { path = '' } = file.dataset;
  return [file, path.toLowerCase(), path.split('/').slice(0, -1)];
}

function drawTree(): void {
  const wanted = filter.value.trim().toLowerCase();
  const found = filesHere().filter(([, name]) => name.includes(wanted));
  const root: Folder = { folders: new Map(), files: [], count: 0 };
  for (const [file, , folders] of found) folderOf(root, folders).files.push(file);
  holder.replaceChildren(
    found.length === 0 ? createElement('p', 'quiet', 'No matching files.') : drawFolder(root, found.length <= mostOpen),
  );
}

function folderOf(root: Folder, names: readonly string[]): Folder {
  let folder = root;
  for (const name of names) {
    const next = folder.folders.get(name) ?? { folders: new Map(), files: [], count: 0 };
    folder.folders.set(name, next);
    next.count += 1;
    folder = next;
  }
  return folder;
}

function drawFolder({ folders, files }: Folder, isOpen: boolean): HTMLElement {
  const entries = [...folders].map(([name, folder]) => drawNamed(name, folder, isOpen));
  const list = createElement('ul', '', ...entries);
  drawFiles(list, files);
  return list;
}

/** Some, and a button for the others. */
function drawFiles(list: HTMLElement, files: readonly HTMLElement[]): void {
  list.append(...files.slice(0, mostOpen).map(drawFile));
  const rest = files.slice(mostOpen);
  if (rest.length === 0) return;
  const button = createElement('button', 'more-files', `${rest.length} more`);
  button.type = 'button';
  const row = createElement('li', '', button);
  button.addEventListener('click', () => {
    const last = row.previousElementSibling;
    row.remove();
    drawFiles(list, rest);
    last?.nextElementSibling?.querySelector<HTMLElement>('a')?.focus();
  });
  list.append(row);
}

/** A folder that holds nothing but a folder is one line with it. */
function drawNamed(name: string, folder: Folder, isOpen: boolean): HTMLElement {
  const [only] = folder.folders;
  if (only !== undefined && folder.folders.size === 1 && folder.files.length === 0) {
    return drawNamed(`${name}/${only[0]}`, only[1], isOpen);
  }
  const summary = createElement('summary', '', `${name}/`);
  const details = createElement('details', '', summary);
  details.open = isOpen;
  if (isOpen) details.append(drawFolder(folder, isOpen));
  else {
    summary.append(' ', createElement('span', 'quiet', `${folder.count}`));
    const draw = (): void => details.append(drawFolder(folder, folder.count <= mostOpen));
    details.addEventListener('toggle', draw, { once: true });
  }
  return createElement('li', '', details);
}

function drawFile(file: HTMLElement): HTMLElement {
  const { path = '', fate = '', plus = '', minus = '' } = file.dataset;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const link = createElement(
    'a',
    isViewed(file) ? 'viewed' : '',
    createElement('span', '', ...markOf(fate), createElement('span', 'name', name)),
  );
  link.href = `#${file.id}`;
  link.title = fate === '' ? path : `${path} (${fate})`;
  link.append(
    createElement(
      'span',
      'counts',
      createElement('span', 'plus', `+${formatNumber(Number(plus))}`),
      ' ',
      createElement('span', 'minus', `−${formatNumber(Number(minus))}`),
    ),
  );
  return createElement('li', '', link);
}

/** Its change as git marks it, and as a word for screen readers. */
function markOf(fate: string): readonly HTMLElement[] {
  if (fate === '') return [];
  const mark = createElement('span', `fate ${fate}`, letters[fate] ?? '');
  mark.ariaHidden = 'true';
  return [mark, createElement('span', 'unseen', `${fate}: `)];
}

const letters: Readonly<Record<string, string>> = { added: 'A', deleted: 'D', moved: 'R' };
