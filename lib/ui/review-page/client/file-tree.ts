import { byId, make } from '../../page/client/dom.ts';
import { main } from './app.ts';
import { isViewed } from './viewed.ts';

const section = byId('files', HTMLElement);
const holder = byId('file-tree', HTMLDivElement);
const filter = byId('file-filter', HTMLInputElement);
const count = byId('file-count', HTMLSpanElement);
// More than fit on a few screens begin with their folders closed.
const mostOpen = 200;

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: HTMLElement[];
}

/** The files of the changeset that is shown, by folder, beside them. */
export function wireFileTree(): void {
  filter.addEventListener('input', renderFileTree);
  filter.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    filter.value = '';
    renderFileTree();
    main.focus();
  });
  holder.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const file = link === null ? null : document.getElementById(link.hash.slice(1));
    if (file === null) return;
    event.preventDefault();
    showFile(file);
  });
}

/** Brings a file to the top of the window and marks it as the current one. */
export function showFile(file: HTMLElement): void {
  for (const one of main.querySelectorAll('.file[aria-current]')) one.removeAttribute('aria-current');
  file.setAttribute('aria-current', 'true');
  file.scrollIntoView({ block: 'start' });
  file.querySelector<HTMLElement>('.fold')?.focus({ preventScroll: true });
}

export function focusFilter(): void {
  filter.focus();
  filter.select();
}

export function renderFileTree(): void {
  const files = [...main.querySelectorAll<HTMLElement>('.file')];
  const wanted = filter.value.trim().toLowerCase();
  const found = files.filter(({ dataset }) => (dataset.path ?? '').toLowerCase().includes(wanted));
  section.hidden = files.length < 2;
  const viewed = files.filter(isViewed).length;
  count.textContent = `${viewed} of ${files.length} viewed`;
  const root: Folder = { folders: new Map(), files: [] };
  for (const file of found) folderOf(root, file.dataset.path ?? '').files.push(file);
  const isOpen = wanted !== '' || files.length <= mostOpen;
  holder.replaceChildren(
    found.length === 0 ? make('p', 'quiet', 'No file has this in its name.') : drawFolder(root, isOpen),
  );
}

function folderOf(root: Folder, path: string): Folder {
  let folder = root;
  for (const name of path.split('/').slice(0, -1)) {
    const next = folder.folders.get(name) ?? { folders: new Map(), files: [] };
    folder.folders.set(name, next);
    folder = next;
  }
  return folder;
}

function drawFolder({ folders, files }: Folder, isOpen: boolean): HTMLElement {
  const entries = [...folders].map(([name, folder]) => drawNamed(name, folder, isOpen));
  return make('ul', '', ...entries, ...files.map(drawFile));
}

/** A folder that holds nothing but a folder is one line with it. */
function drawNamed(name: string, folder: Folder, isOpen: boolean): HTMLElement {
  const [only] = folder.folders;
  if (only !== undefined && folder.folders.size === 1 && folder.files.length === 0) {
    return drawNamed(`${name}/${only[0]}`, only[1], isOpen);
  }
  const details = make('details', '', make('summary', '', `${name}/`));
  details.open = isOpen;
  if (isOpen) details.append(drawFolder(folder, isOpen));
  else {
    const draw = (): void => details.append(drawFolder(folder, false));
    details.addEventListener('toggle', draw, { once: true });
  }
  return make('li', '', details);
}

function drawFile(file: HTMLElement): HTMLElement {
  const { path = '', plus = '', minus = '' } = file.dataset;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const link = make('a', isViewed(file) ? 'viewed' : '', make('span', 'name', name));
  link.href = `#${file.id}`;
  link.title = path;
  link.append(
    make('span', 'counts', make('span', 'plus', `+${plus}`), ' ', make('span', 'minus', `−${minus}`)),
  );
  return make('li', '', link);
}
