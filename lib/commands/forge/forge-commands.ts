import type * as z from 'zod';
import { boundText, toOneLine } from '../../core/task/bound-text.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import type { FailedCheck, PullRequestNews, Remark, RemarkPlace } from '../../domain/state/pull-request-news.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { ForgeAddress, HostIssue, IssueReference } from './forge-address.ts';
import type { RunForgeProgram } from './run-forge.ts';

/** A pull or merge request as it is opened and updated. */
export interface PreparedPullRequest {
  readonly base: string;
  readonly branch: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  /** The file it is also written to. */
  readonly bodyFile: string;
  /** The branch it goes into from now on, where that was another one. */
  readonly newBase?: string;
}

type RequestState = Pick<PullRequestNews, 'state' | 'head'>;

/** Arguments of a forge's program, and how its JSON is read. */
export interface ForgeQuery<About, Value> {
  words(about: About): readonly string[];
  readonly schema: z.ZodType<Value>;
}

/** A request at its host. */
export interface PullRequestAddress {
  readonly url: string;
  readonly address: ForgeAddress;
}

/** All news of a request; which remarks count is decided elsewhere. */
export interface FetchedPullRequestNews extends RequestState {
  readonly remarks: readonly HostRemark[];
  /** Failed checks, each with a reader of its log, where the host has one. */
  readonly failed: readonly { readonly check: FailedCheck; readonly log: (() => Promise<string>) | null }[];
}

/** The commands of one forge's program. */
export interface ForgeCommands {
  /** The host's noun: `pull request` or `merge request`. */
  readonly noun: string;
  /** The host's name, and the most characters of a request's text there. */
  readonly host: string;
  readonly longestBody: number;
  /** The most of them in the command that opens one; `update` writes the rest. */
  readonly longestNew: number;
  create(request: PreparedPullRequest): readonly string[];
  /** The shell line that opens one by hand. */
  createLine(request: PreparedPullRequest): string;
  /** The shell line that opens a closed one again. */
  reopenLine(place: PullRequestAddress): string;
  /** The shell line that shows the one of a branch. */
  viewLine(branch: string): string;
  /** The request of a branch. */
  readonly find: ForgeQuery<string, { readonly url: string; readonly isOpen: boolean }>;
  readonly state: ForgeQuery<PullRequestAddress, RequestState>;
  /** Commands that run one after the other. */
  update(place: PullRequestAddress, request: PreparedPullRequest): readonly (readonly string[])[];
  news(place: PullRequestAddress, listening: RemarkFilter, ask: RunForgeProgram): Promise<FetchedPullRequestNews>;
  readonly issue: ForgeQuery<IssueReference, Omit<HostIssue, 'forge' | 'reopen'>>;
  /** The shell line that opens a closed issue again. */
  reopenIssue(url: string, name: IssueReference): string;
}

/** A shell line of these words. */
export function quoteShellLine(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}

/** A check is another one with each commit it ran on. */
export function createFailedCheck(head: string, job: string, conclusion: string, url: string): FailedCheck {
  const name = toOneLine(job, 200);
  const id = `check-${head.slice(0, 12)}-${name}`;
  return { id, name, conclusion, url: toOneLine(url, 500), log: '' };
}

/** Settings that decide whose remarks go into a task. */
export type RemarkFilter = Pick<Config['pull_requests'], 'comments_from' | 'commenters'>;

/** One remark, and its author's role at the host. */
export interface HostRemark {
  readonly id: string;
  /** The name their account has; null: it is gone. */
  readonly login: string | null;
  readonly role: 'owner' | 'member' | 'stranger';
  /** The host's own term for that. */
  readonly as: string;
  readonly body: string | null | undefined;
  readonly place: RemarkPlace | null;
}

/** Selects the remarks of authors who count; others are counted by author, and none of their text is passed on. */
export function filterRemarks(
  said: readonly HostRemark[],
  listening: RemarkFilter,
): { readonly remarks: readonly Remark[]; readonly ignored: readonly { by: string; count: number }[] } {
  const spoken = said.filter(({ body }) => (body ?? '').trim() !== '');
  const counts = new Map<string, number>();
  for (const one of spoken.filter((other) => !isHeard(other, listening))) {
    const by = `${nameOf(one)} (${one.as})`;
    counts.set(by, (counts.get(by) ?? 0) + 1);
  }
  return {
    remarks: spoken
      .filter((one) => isHeard(one, listening))
      .map((one) => ({
        id: one.id,
        by: nameOf(one),
        text: boundText(one.body ?? '', 2_000),
        place: one.place,
      })),
    ignored: [...counts].map(([by, count]) => ({ by, count })),
  };
}

/** A listed commenter is heard in any case. */
function isHeard({ login, role }: HostRemark, { comments_from: from, commenters }: RemarkFilter): boolean {
  const name = login?.toLowerCase();
  if (commenters.some((listed) => listed.toLowerCase() === name)) return true;
  if (from === 'owners') return role === 'owner';
  return from === 'members' && role !== 'stranger';
}

function nameOf({ login }: HostRemark): string {
  return toOneLine(login ?? 'a deleted account', 60);
}

/** Whom a configuration has heard, as one says it. */
export function describeHeardCommenters({ comments_from: from, commenters }: RemarkFilter): string {
  const listed = commenters.length === 0 ? [] : ['those in pull_requests.commenters'];
  const standing = { members: ['members of the repository'], owners: ['its owners'], listed: [] }[from];
  const all = [...standing, ...listed];
  return all.length === 0 ? 'no account (pull_requests.commenters is empty)' : all.join(' and ');
}

/**
 * A request's text in the length that its host takes, cut between two paragraphs: a sentence says how much is left out and
 * where all of it is, and its last paragraph, which names the session, stays.
 */
export function cutBodyToHostLimit(
  body: string,
  { longest, host }: { readonly longest: number; readonly host: string },
): string {
  if (body.length <= longest) return body;
  const paragraphs = body.trimEnd().split('\n\n');
  const end = paragraphs.at(-1) ?? '';
  // A last paragraph that names no session, or takes over half of the room, is cut like the others.
  const stays = sessionOf(end) !== null && end.length <= longest / 2;
  const last = stays ? (paragraphs.pop() ?? '') : '';
  const said = (left: number): string =>
    `The text is ${left} characters longer than ${host} accepts here. The whole text, task by task: ${inSession(end)}.`;
  const room = longest - last.length - said(body.length).length - '\n\n\n\n\n'.length;
  let shown = '';
  for (const paragraph of paragraphs) {
    const more = shown === '' ? paragraph : `${shown}\n\n${paragraph}`;
    if (more.length > room) break;
    shown = more;
  }
  // A paragraph that alone is too long is cut between two lines, and a line that is between two characters.
  if (shown === '') {
    const cut = body.slice(0, Math.max(0, room)).replace(/[\ud800-\udbff]$/, '');
    shown = cut.replace(/\n[^\n]*$/, '');
  }
  const parts = [shown, said(body.length - shown.length), last].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n`;
}

/** The last paragraph begins with the session's id; null: it is another. */
function sessionOf(last: string): string | null {
  return /^Session `([\w-]{1,64})`/.exec(last)?.[1] ?? null;
}

function inSession(last: string): string {
  const id = sessionOf(last);
  return id === null ? '`git flame show`' : `\`git flame show ${id}\``;
}
