import { boundText, toOneLine } from '../../core/task/bound-text.ts';
import type { ForgeName } from '../../domain/config/config-project.ts';
import { FlameError } from '../../domain/flame-error.ts';

/** Address of a pull request, a merge request or an issue. */
export interface ForgeAddress {
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
export function parseForgeAddress(url: string): ForgeAddress | null {
  const [, host, project, what, number] = form.exec(url) ?? [];
  if (host === undefined || project === undefined || what === undefined || number === undefined) return null;
  const forge = what.startsWith('-/') ? 'glab' : 'gh';
  if (forge === 'gh' && project.split('/').length !== 2) return null;
  return { forge, kind: /pull|merge/.test(what) ? 'request' : 'issue', host, project, number };
}

/** Whether it is the address of a pull request of that program's host. */
export function isPullRequestAddress(url: string, forge: ForgeName): boolean {
  const address = parseForgeAddress(url);
  return address?.forge === forge && address.kind === 'request';
}

/** The address that a program printed on a line of its own as it opened a request. Throws FlameError `forge-no-address`. */
export function findPrintedAddress(forge: ForgeName, printed: string, look: string): string {
  const lines = printed.split('\n').map((line) => line.trim());
  const url = lines.findLast((line) => isPullRequestAddress(line, forge));
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
export function requireForgeAddress(url: string, forge: ForgeName): ForgeAddress {
  const address = parseForgeAddress(url);
  if (address?.forge === forge && address.kind === 'request') return address;
  throw new FlameError({
    kind: 'refused',
    code: 'no-address',
    message: `${toOneLine(url)} is not the address of a request that ${forge} knows.`,
    hints: ['git flame show'],
  });
}

/** An issue as a task would have it; every text is its author's. */
export interface IssueText {
  readonly title: string;
  readonly description: string;
  /** Its address. */
  readonly source: string;
}

/** An issue's name. */
export interface IssueReference {
  readonly forge: ForgeName;
  readonly number: string;
  /** null: the project of this repository. */
  readonly project: string | null;
  readonly host: string | null;
}

const shortNames = { gh: 'gh', gl: 'glab' } as const;

/** Parses `gh:123`, `gl:123`, `gh:OWNER/NAME#123`, `gl:GROUP/NAME#123` or an address; null: it names a file. */
export function parseIssueReference(from: string): IssueReference | null {
  const short = /^(gh|gl):(?:([\w.-]+(?:\/[\w.-]+)+)#)?(\d{1,12})$/.exec(from);
  if (short !== null) {
    const [, name, project = null, number = ''] = short;
    return { forge: name === 'gl' ? shortNames.gl : shortNames.gh, number, project, host: null };
  }
  const address = parseForgeAddress(from);
  return address?.kind === 'issue' ? address : null;
}

export interface HostIssue {
  readonly forge: ForgeName;
  readonly url: string;
  readonly title: string;
  readonly body?: string | null | undefined;
  readonly labels: readonly string[];
  readonly author: string;
  readonly isOpen: boolean;
  /** The shell line that opens it again. */
  readonly reopen: string;
}

/** The text of an issue for a task. Throws FlameErrors `no-issue-address` and `issue-closed`. */
export function requireOpenIssue({ forge, url, title, body, labels, author, isOpen, reopen }: HostIssue): IssueText {
  const address = parseForgeAddress(url);
  if (address?.forge !== forge || address.kind !== 'issue') throw noIssueAddress(url);
  if (!isOpen) throw isClosed(url, reopen);
  const names = labels.map((name) => toOneLine(name, 60)).join(', ');
  const description = [
    `From ${url}, by ${toOneLine(author, 60)}${names === '' ? '' : `, labelled ${names}`}.`,
    boundText(body ?? '', 40_000),
  ];
  return {
    title: toOneLine(title, 200),
    description: description.filter((text) => text !== '').join('\n\n'),
    source: url,
  };
}

function noIssueAddress(url: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-issue-address',
    message: `${toOneLine(url)} is not the address of an issue, so no task was added.`,
    hints: ['git flame task add TITLE --locks PATH'],
  });
}

function isClosed(url: string, reopen: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'issue-closed',
    message: `${url} is closed, so no task was added.`,
    hints: [reopen, 'git flame task add TITLE --locks PATH'],
  });
}
