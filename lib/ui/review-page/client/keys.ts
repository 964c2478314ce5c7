import { around, byId } from '../../page/client/dom.ts';
import { main } from './app.ts';
import { press } from './bar.tsx';
import { step } from './changesets.tsx';
import { disarm, takeBack } from './decide.ts';
import { focusFilter, showFile } from './file-tree.ts';
import { printAll, toggleFile } from './files.ts';
import { openFind } from './find.ts';
import { toggleLayout, toggleSince, toggleSpace } from './look.ts';
import { toggleViewed } from './viewed.ts';

const help = byId('help', HTMLDialogElement);

const actions: Readonly<Record<string, () => void>> = {
  j: () => step(1),
  k: () => step(-1),
  n: () => stepFile(1),
  p: () => stepFile(-1),
  o: () => {
    const file = currentFile();
    if (file !== null) toggleFile(file);
  },
  u: () => void takeBack(),
  v: toggleLayout,
  w: toggleSpace,
  i: toggleSince,
  m: () => {
    const file = currentFile();
    if (file !== null) toggleViewed(file);
  },
  t: focusFilter,
  '/': openFind,
  '?': () => help.showModal(),
  Escape: disarm,
};

/** One key each, unless something is being written or the browser is meant. */
export function wireKeys(): void {
  byId('help-button', HTMLButtonElement).addEventListener('click', () => help.showModal());
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'p') {
      event.preventDefault();
      void printAll();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (around(event.target, 'textarea, input, dialog') !== null) return;
    const action = actions[event.key];
    if (action === undefined && !press(event.key)) return;
    event.preventDefault();
    action?.();
  });
}

function currentFile(): HTMLElement | null {
  return main.querySelector<HTMLElement>('.file[aria-current]') ?? main.querySelector<HTMLElement>('.file');
}

function stepFile(by: 1 | -1): void {
  const files = [...main.querySelectorAll<HTMLElement>('.file')];
  const at = files.findIndex((file) => file.hasAttribute('aria-current'));
  const next = files[at === -1 ? 0 : at + by];
  if (next === undefined) return;
  showFile(next);
}
