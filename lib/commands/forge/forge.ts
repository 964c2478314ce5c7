import type * as z from 'zod';
import { oneLine } from '../../core/task/one-line.ts';
import type { FailedCheck, PullRequestNews } from '../../domain/state/pull-request.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { Address } from './address.ts';
import type { Listening, Said } from './filter-remarks.ts';
import type { HostIssue, IssueName } from './read-issue.ts';
import type { AskForge } from './run-forge.ts';

/** A pull or merge request as it is opened and updated. */
export interface RequestText {
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

type Standing = Pick<PullRequestNews, 'state' | 'head'>;

/** Arguments of a forge's program, and how its JSON is read. */
export interface Question<About, Value> {
  words(about: About): readonly string[];
  readonly schema: z.ZodType<Value>;
}

/** A request at its host. */
export interface RequestPlace {
  readonly url: string;
  readonly address: Address;
}

/** All news of a request; which remarks count is decided elsewhere. */
export interface HostNews extends Standing {
  readonly said: readonly Said[];
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
  create(request: RequestText): readonly string[];
  /** The shell line that opens one by hand. */
  createLine(request: RequestText): string;
  /** The shell line that opens a closed one again. */
  reopenLine(place: RequestPlace): string;
  /** The shell line that shows the one of a branch. */
  viewLine(branch: string): string;
  /** The request of a branch. */
  readonly find: Question<string, { readonly url: string; readonly isOpen: boolean }>;
  readonly standing: Question<RequestPlace, Standing>;
  /** Commands that run one after the other. */
  update(place: RequestPlace, request: RequestText): readonly (readonly string[])[];
  news(place: RequestPlace, listening: Listening, ask: AskForge): Promise<HostNews>;
  readonly issue: Question<IssueName, Omit<HostIssue, 'forge' | 'reopen'>>;
  /** The shell line that opens a closed issue again. */
  reopenIssue(url: string, name: IssueName): string;
}

/** A shell line of these words. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}

/** A check is another one with each commit it ran on. */
export function failedCheck(head: string, job: string, conclusion: string, url: string): FailedCheck {
  const name = oneLine(job, 200);
  const id = `check-${head.slice(0, 12)}-${name}`;
  return { id, name, conclusion, url: oneLine(url, 500), log: '' };
}
