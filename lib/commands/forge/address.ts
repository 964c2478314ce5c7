import type { ForgeName } from '../../domain/config/config-pull-requests.ts';

/** Where a pull request, a merge request or an issue is. */
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
