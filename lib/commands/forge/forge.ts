import type { ForgeName } from '../../domain/config/config-pull-requests.ts';
import type { PullRequestNews } from '../../domain/state/pull-request.ts';
import type { Heeding } from './heed-remarks.ts';
import type { IssueName, IssueText } from './read-issue.ts';

/** A pull or merge request as it is opened, and kept true. */
export interface RequestText {
  readonly base: string;
  readonly branch: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  /** Where it is written, too. */
  readonly bodyFile: string;
  /** What it is to go into from now on, where that was another branch. */
  readonly newBase?: string;
}

export interface NewsWish {
  readonly url: string;
  readonly heeding: Heeding;
  /** What was taken up already, by its id: its logs are not asked for again. */
  readonly heard: ReadonlySet<string>;
}

/**
 * What a host's own program does for a pull request of GitHub, or a merge request of GitLab. Everything throws the
 * FlameErrors of runForge and `forge-unreadable`.
 */
export interface Forge {
  readonly name: ForgeName;
  /** What one opens there: `pull request` or `merge request`. */
  readonly noun: string;
  /** How it is called, and how many characters of a request's text it takes. */
  readonly host: string;
  readonly longestBody: number;
  /** How many of them can be told as a request is opened; the rest is told by `update`. */
  readonly longestNew: number;
  /** The shell line that opens one by hand. */
  createLine(request: RequestText): string;
  /** The shell line that opens a closed one again. */
  reopenLine(url: string): string;
  /** The open one of a branch; null: there is none. */
  find(branch: string): Promise<string | null>;
  /** What became of one. Throws also FlameError `no-address`. */
  standing(url: string): Promise<Pick<PullRequestNews, 'state' | 'head'>>;
  /** Resolves to its address. Throws also FlameError `forge-no-address`. */
  create(request: RequestText): Promise<string>;
  /** Title and body say what is on the branch now. */
  update(url: string, request: RequestText): Promise<void>;
  /** All that was said so far, and what its checks came to. Throws also FlameError `no-address`. */
  news(wish: NewsWish): Promise<PullRequestNews>;
  /** Throws also FlameError `issue-closed`. */
  issue(name: IssueName): Promise<IssueText>;
}
