import { boundText, oneLine } from '../../core/task/one-line.ts';
import type { ForgeName } from '../../domain/config/config-project.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { parseAddress } from './address.ts';

/** An issue as a task would have it; every text is its author's. */
export interface IssueText {
  readonly title: string;
  readonly description: string;
  /** Its address. */
  readonly source: string;
}

/** An issue's name. */
export interface IssueName {
  readonly forge: ForgeName;
  readonly number: string;
  /** null: the project of this repository. */
  readonly project: string | null;
  readonly host: string | null;
}

const shortNames = { gh: 'gh', gl: 'glab' } as const;

/** Parses `gh:123`, `gl:123`, `gh:OWNER/NAME#123`, `gl:GROUP/NAME#123` or an address; null: it names a file. */
export function issueNamed(from: string): IssueName | null {
  const short = /^(gh|gl):(?:([\w.-]+(?:\/[\w.-]+)+)#)?(\d{1,12})$/.exec(from);
  if (short !== null) {
    const [, name, project = null, number = ''] = short;
    return { forge: name === 'gl' ? shortNames.gl : shortNames.gh, number, project, host: null };
  }
  const address = parseAddress(from);
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
export function openIssue({ forge, url, title, body, labels, author, isOpen, reopen }: HostIssue): IssueText {
  const address = parseAddress(url);
  if (address?.forge !== forge || address.kind !== 'issue') throw noIssueAddress(url);
  if (!isOpen) throw isClosed(url, reopen);
  const names = labels.map((name) => oneLine(name, 60)).join(', ');
  const description = [
    `From ${url}, by ${oneLine(author, 60)}${names === '' ? '' : `, labelled ${names}`}.`,
    boundText(body ?? '', 40_000),
  ];
  return {
    title: oneLine(title, 200),
    description: description.filter((text) => text !== '').join('\n\n'),
    source: url,
  };
}

function noIssueAddress(url: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-issue-address',
    message: `${oneLine(url)} is no address of an issue, so no task was made of it.`,
    hints: ['git flame task add TITLE --locks PATH'],
  });
}

function isClosed(url: string, reopen: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'issue-closed',
    message: `${url} is closed, so no task was made of it.`,
    hints: [reopen, 'git flame task add TITLE --locks PATH'],
  });
}
