import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { PullRequestNews } from '../../domain/state/pull-request.ts';
import type { Session } from '../../domain/state/session.ts';
import { type OpenedRequest, requestsOf } from '../../domain/state/session-facts.ts';
import { type TakenUp, takeUp } from '../../engine/review/take-up.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import type { Opened } from '../open/open-workshop.ts';
import { heardOnes } from './filter-remarks.ts';
import { forgeOf, openForge } from './open-forge.ts';

/** News of one request from its host, and how it is opened again where it is closed. */
export interface RequestNews {
  readonly request: OpenedRequest;
  readonly news: PullRequestNews;
  readonly reopen: string;
}

export interface AllNews {
  readonly all: readonly RequestNews[];
  /** The number of requests that another person moved, so that nothing of them is taken up. */
  readonly moved: number;
}

/**
 * Asks the host for news of a session's pull requests, and reports authors whose comments are ignored. Of several, one
 * that another person moved is reported with a way out, and the rest go on. Throws FlameErrors `no-pull-request`,
 * `pull-request-moved`, and those of Forge.news: then nothing of any of them is taken up.
 */
export async function askForNews(opened: Opened, io: Io, session: Session): Promise<AllNews> {
  const requests = requestsOf(session);
  if (requests.length === 0) throw noPullRequest(session);
  const { root: cwd, config } = opened.workshop;
  const heard = new Set(session.landing?.heard ?? []);
  const told: RequestNews[] = [];
  let moved = 0;
  for (const request of requests) {
    const { url } = request;
    const forge = openForge(forgeOf(url), { cwd, io, retry: 'git flame pr' });
    const news = await forge.news(url, config.pull_requests, heard);
    const error = news.state === 'open' ? await movedBySomebody(opened, request, news) : null;
    if (error !== null) {
      if (requests.length === 1) throw error;
      moved += 1;
      opened.workshop.events.emit({ event: 'notice', level: 'warning', message: error.message });
      for (const hint of error.hints) opened.output.hint(hint);
      continue;
    }
    tellUnheard(opened, news);
    told.push({ request, news, reopen: forge.reopenLine(url) });
  }
  return { all: told, moved };
}

/** The error where another person pushed there: its comments are on other commits. null: none did. */
async function movedBySomebody(
  { git }: Opened,
  { branch }: OpenedRequest,
  { head }: PullRequestNews,
): Promise<FlameError | null> {
  const tip = await git.resolveCommit(`refs/heads/${branch}`);
  const there = await git.resolveCommit(head);
  if (tip !== null && there !== null && (await git.isAncestor(there, tip))) return null;
  return new FlameError({
    kind: 'refused',
    code: 'pull-request-moved',
    message: `Somebody else moved ${branch} there to ${shortId(head)}, which is not part of it here, so nothing was taken up.`,
    hints: [
      `git fetch origin ${shellQuote(branch)}`,
      `git log ${shellQuote(`${branch}..FETCH_HEAD`)}`,
      `git merge --ff-only FETCH_HEAD with ${branch} checked out, or push yours over it, then: git flame pr`,
    ],
  });
}

function tellUnheard({ output, workshop }: Opened, { unheeded }: PullRequestNews): void {
  if (unheeded.length === 0) return;
  const names = unheeded.map(({ by, count }) => `${visibleLine(by)}: ${count}`).join(', ');
  output.info(`Not taken up, by others than ${heardOnes(workshop.config.pull_requests)}: ${names}.`);
}

function noPullRequest(session: Session): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-pull-request',
    message: `Session ${session.id} has no pull request.`,
    hints: ['git flame review --pr', 'git flame status'],
  });
}

/**
 * Takes up what was said of each request. Of several, one that is over or had its rounds is named, and keeps nothing from
 * the others; of a single one that is an error of takeUp. `refused`: of how many nothing was taken up.
 */
export async function takeUpAll(
  { workshop, output }: Opened,
  id: SessionId,
  { all, isAllowedMore }: { readonly all: readonly RequestNews[]; readonly isAllowedMore: boolean },
): Promise<TakenUp & { readonly refused: number }> {
  let [left, refused] = [0, 0];
  const awaited: string[] = [];
  const tasks: TakenUp['tasks'][number][] = [];
  for (const { request, news, reopen } of all) {
    try {
      const taken = await takeUp(workshop, id, news, { isAllowedMore, reopen, request });
      tasks.push(...taken.tasks);
      left += taken.left;
      awaited.push(...taken.awaited);
    } catch (error) {
      const isOne = error instanceof FlameError && /^pull-request-(?:over|rounds)$/.test(error.code);
      if (all.length === 1 || !isOne) throw error;
      if (error.code === 'pull-request-over') output.info(error.message);
      else {
        refused += 1;
        workshop.events.emit({ event: 'notice', level: 'warning', message: error.message, details: [] });
        for (const hint of error.hints) output.hint(hint);
      }
    }
  }
  for (const name of awaited) {
    const message = `The log of the failed check ${visibleLine(name)} can't be had yet, as before all of its run has ended. It is asked for again with the next git flame pr; then the check goes to its task in any case.`;
    output.info(message);
  }
  return { tasks, left, awaited, refused };
}
