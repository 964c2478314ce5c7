import { oneLine } from '../../core/task/one-line.ts';
import type { ForgeName } from '../../domain/config/config-project.ts';
import { FlameError } from '../../domain/flame-error.ts';

/** Address of a pull request, a merge request or an issue. */
export interface Address {
  readonly forge: ForgeName;
  readonly kind: 'request' | 'issue';
  /** With its port, where it has one. */
  readonly host: string;
  /** `owner/name`; of GitLab also with more groups before the name. */
  readonly project: string;
  readonly number: string;
}

const form = new RegExp(
  [
    /^https:\/\/([\w.-]+(?::\d+)?)/.source,
    /\/([\w.-]+(?:\/[\w.-]+){1,20}?)/.source,
    /\/(-\/merge_requests|-\/issues|-\/work_items|pull|issues)\/(\d{1,12})\/?$/.source,
  ].join(''),
);

/** Reads the address of a pull or merge request or an issue; null: it is none of a host that gh or glab knows. */
export function parseAddress(url: string): Address | null {
  const [, host, project, what, number] = form.exec(url) ?? [];
  if (host === undefined || project === undefined || what === undefined || number === undefined) return null;
  const forge = what.startsWith('-/') ? 'glab' : 'gh';
  if (forge === 'gh' && project.split('/').length !== 2) return null;
  return { forge, kind: /pull|merge/.test(what) ? 'request' : 'issue', host, project, number };
}

/** Whether it is the address of a pull request of that program's host. */
export function isRequestAddress(url: string, forge: ForgeName): boolean {
  const address = parseAddress(url);
  return address?.forge === forge && address.kind === 'request';
}

/** The address that a program printed on a line of its own as it opened a request. Throws FlameError `forge-no-address`. */
export function foundAddress(forge: ForgeName, printed: string, look: string): string {
  const lines = printed.split('\n').map((line) => line.trim());
  const url = lines.findLast((line) => isRequestAddress(line, forge));
  if (url !== undefined) return url;
  throw new FlameError({
    kind: 'refused',
    code: 'forge-no-address',
    message: 'it printed no address of one.',
    details: lines.filter((line) => line !== '').slice(-5),
    hints: [look, 'git flame review --pr'],
  });
}

/** Throws FlameError `no-address` where it is none that this program knows. */
export function requireAddress(url: string, forge: ForgeName): Address {
  const address = parseAddress(url);
  if (address?.forge === forge && address.kind === 'request') return address;
  throw new FlameError({
    kind: 'refused',
    code: 'no-address',
    message: `${oneLine(url)} is not the address of a request that ${forge} knows.`,
    hints: ['git flame show'],
  });
}
