import { signal } from '@preact/signals';
import { formatCount, formatNumber } from '../../../util/format-figures.ts';
import { groupBy } from '../../../util/sort-and-group.ts';
import { closestElement, createButton, createElement, requireElementById } from '../../page/client/page-elements.ts';
import { wireFileLinks } from './file-place.ts';
import { renderPageAddress } from './page-address.ts';
import { mainElement, savePreferences, viewSettings } from './review-state.ts';
import { isViewed } from './viewed-marks.ts';

const section = requireElementById('files', HTMLElement);
const holder = requireElementById('file-tree', HTMLDivElement);
const filter = requireElementById('file-filter', HTMLInputElement);
const list = requireElementById('file-list', HTMLDetailsElement);
const count = requireElementById('file-count', HTMLSpanElement);
const progress = requireElementById('file-progress', HTMLProgressElement);
const orderButton = requireElementById('file-order', HTMLButtonElement);
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

/** How many files are marked, while some are not; '' otherwise. */
export const viewedWords = signal('');

/** The changeset whose files were read last, with their names as they are searched. */
let known: { readonly article: Element | null; readonly files: readonly KnownFile[] } = {
  article: null,
  files: [],
};

type KnownFile = readonly [
  file: HTMLElement,
  name: string,
  folders: readonly string[],
  /** null: the changeset has no chapters. */
  chapter: HTMLElement | null,
];

/** The files of the changeset that is shown, beside them: in the chapters they are read in, or by folder. */
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
  wireFileLinks(holder);
  orderButton.addEventListener('click', () => {
    const { preferences } = viewSettings;
    viewSettings.preferences = { ...preferences, order: preferences.order === 'paths' ? 'chapters' : 'paths' };
    savePreferences(viewSettings.preferences);
    drawTree();
  });
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
  const words = `${viewed} of ${formatCount(files.length, 'file')} viewed`;
  count.textContent = words;
  // Who marks none, or all, misses none.
  viewedWords.value = viewed === 0 || viewed === files.length ? '' : words;
  progress.max = files.length;
  progress.value = viewed;
  if (marked === undefined) drawTree();
  else
    holder
      .querySelector(`a[data-path="${CSS.escape(marked.dataset.path ?? '')}"]`)
      ?.classList.toggle('viewed', isViewed(marked));
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
  return [file, path.toLowerCase(), path.split('/').slice(0, -1), file.closest<HTMLElement>('.chapter[data-title]')];
}

function drawTree(): void {
  const wanted = filter.value.trim().toLowerCase();
  const found = filesHere().filter(([, name]) => name.includes(wanted));
  const chapters = groupBy(found, ([, , , chapter]) => chapter);
  const hasChapters = [...chapters.keys()].some((chapter) => chapter !== null);
  const isByChapter = hasChapters && viewSettings.preferences.order !== 'paths';
  orderButton.hidden = !hasChapters;
  orderButton.textContent = isByChapter ? 'By folder' : 'By chapter';
  const isOpen = found.length <= mostOpen;
  const tree = isByChapter ? drawChapters(chapters, isOpen) : drawFolders(found, isOpen);
  holder.replaceChildren(found.length === 0 ? createElement('p', 'quiet', 'No matching files.') : tree);
}

function drawChapters(chapters: ReadonlyMap<HTMLElement | null, readonly KnownFile[]>, isOpen: boolean): HTMLElement {
  const sections = [...chapters].map(([chapter, files]) => {
    const { title = 'Others', folded } = chapter?.dataset ?? {};
    const draw = (): HTMLElement =>
      drawFiles(
        createElement('ul', ''),
        files.map(([file]) => file),
        title,
      );
    const shown = { count: files.length, isOpen: isOpen && folded === undefined, draw };
    return drawSection(title, 'chapter-name', shown);
  });
  return createElement('ul', 'by-chapter', ...sections);
}

function drawFolders(found: readonly KnownFile[], isOpen: boolean): HTMLElement {
  const root: Folder = { folders: new Map(), files: [], count: 0 };
  for (const [file, , folders] of found) folderOf(root, folders).files.push(file);
  return drawFolder(root, isOpen);
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
  return drawFiles(createElement('ul', '', ...entries), files, null);
}

/** Some, and a button for the others. */
function drawFiles(list: HTMLElement, files: readonly HTMLElement[], folder: string | null): HTMLElement {
  list.append(...files.slice(0, mostOpen).map((file) => drawFile(file, folder)));
  const rest = files.slice(mostOpen);
  if (rest.length === 0) return list;
  const row = createElement('li', '');
  const button = createButton(`${rest.length} more`, () => {
    const last = row.previousElementSibling;
    row.remove();
    drawFiles(list, rest, folder);
    last?.nextElementSibling?.querySelector<HTMLElement>('a')?.focus();
  });
  button.className = 'more-files';
  row.append(button);
  list.append(row);
  return list;
}

/** A folder that holds nothing but a folder is one line with it. */
function drawNamed(name: string, folder: Folder, isOpen: boolean): HTMLElement {
  const [only] = folder.folders;
  if (only !== undefined && folder.folders.size === 1 && folder.files.length === 0) {
    return drawNamed(`${name}/${only[0]}`, only[1], isOpen);
  }
  const draw = (): HTMLElement => drawFolder(folder, isOpen || folder.count <= mostOpen);
  return drawSection(`${name}/`, '', { count: folder.count, isOpen, draw });
}

interface Section {
  readonly count: number;
  readonly isOpen: boolean;
  draw(): HTMLElement;
}

/** Its files are drawn once it is opened. */
function drawSection(name: string, className: string, { count: many, isOpen, draw }: Section): HTMLElement {
  const summary = createElement('summary', className, createElement('bdi', '', name));
  const details = createElement('details', '', summary);
  details.open = isOpen;
  if (isOpen) details.append(draw());
  else {
    summary.append(' ', createElement('span', 'quiet', `${many}`));
    details.addEventListener('toggle', () => details.append(draw()), { once: true });
  }
  return createElement('li', '', details);
}

/** `folder` is what it is listed below, which its own is not repeated for; null: below its own. */
function drawFile(file: HTMLElement, folder: string | null): HTMLElement {
  const { path = '', fate = '', plus = '', minus = '', marks = '' } = file.dataset;
  const at = path.lastIndexOf('/') + 1;
  const link = createElement(
    'a',
    isViewed(file) ? 'viewed' : '',
    createElement(
      'span',
      'entry',
      ...letterOf(fate),
      createElement('span', 'name', path.slice(at)),
      ...(folder !== null && at > 0 && !folder.endsWith(path.slice(0, at - 1))
        ? [' ', createElement('span', 'in', path.slice(0, at - 1))]
        : []),
      ...(marks === ''
        ? []
        : [createElement('span', 'marked', createElement('span', 'unseen', `, look twice: ${marks}`))]),
    ),
  );
  link.dataset.path = path;
  link.href = renderPageAddress({ changeset: closestElement(file, '.changeset')?.dataset.id ?? '', path });
  link.title = [path, fate === '' ? '' : ` (${fate})`, marks === '' ? '' : `\nLook twice: ${marks}`].join('');
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
function letterOf(fate: string): readonly HTMLElement[] {
  if (fate === '') return [];
  const mark = createElement('span', `fate ${fate}`, letters[fate] ?? '');
  mark.ariaHidden = 'true';
  return [mark, createElement('span', 'unseen', `${fate}: `)];
}

const letters: Readonly<Record<string, string>> = { added: 'A', deleted: 'D', moved: 'R' };
