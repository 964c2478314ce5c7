import { pageBase } from '../../page/client/server-requests.ts';

/** What an address of the page names: `#1-limits`, or with a file of it `#1-limits/lib/limit.ts`. */
export interface PageAddress {
  readonly changeset: string;
  /** null: the changeset as a whole. */
  readonly path: string | null;
}

/** The address that the browser shows; null: it names nothing. */
export function readPageAddress(): PageAddress | null {
  try {
    const [changeset = '', ...path] = location.hash.slice(1).split('/').map(decodeURIComponent);
    return changeset === '' ? null : { changeset, path: path.length === 0 ? null : path.join('/') };
  } catch {
    // A person typed it.
    return null;
  }
}

export function renderPageAddress({ changeset, path }: PageAddress): string {
  const names = path === null ? [changeset] : [changeset, ...path.split('/')];
  return `#${names.map(encodeURIComponent).join('/')}`;
}

/** Shows in the browser where the person is. `isNew`: its back button leads to where they were. */
export function writePageAddress(address: PageAddress, isNew: boolean): void {
  const hash = renderPageAddress(address);
  if (hash === location.hash) return;
  if (isNew) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
}

/** The board that this page is served below; null: it is served alone. */
export function boardUrl(): string | null {
  return pageBase === '' ? null : `/${location.search}`;
}
