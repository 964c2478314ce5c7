import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { PullRequestNews } from '../../domain/state/pull-request-news.ts';
import { listOpenPullRequests, type OpenedPullRequest } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import {
  type AppliedPullRequestNews,
  requeueTasksForRequestNews,
} from '../../engine/review/apply-pull-request-news.ts';
import { resumeSession } from '../../engine/run-session.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { requireTypedByPerson } from '../context/require-typed-by-person.ts';
import { withSessionLock } from '../context/session-lock.ts';
import { type CommandContext, withRunContext } from '../run-context/open-run-context.ts';
import { describeHeardCommenters } from './forge-commands.ts';
import { findForgeOfAddress, openForge } from './open-forge.ts';

/** `git flame pr`: what was said of the pull request, and its failed checks, come back to their tasks. */
export function run(args: CommandArgs<'pr'>, io: Io): Promise<number> {
  return withRunContext(args, io, async (opened) => {
    const session = opened.selected.require(await opened.store.snapshot());
    const { all, moved } = await fetchPullRequestNews(opened, io, session);
    if (args.globals.dryRun) return preview(opened, session, all) || Math.min(moved, 1);
    if (all.length === 0) return 1;
    requireTypedByPerson('Which comments of a pull request go to tasks', opened.git.repository, io);
    return withSessionLock(opened, session.id, async () => {
      await resumeSession(opened.context, session.id);
      const taken = await applyPullRequestNews(opened, session.id, { all, isAllowedMore: args.options.more });
      return reportApplied(opened, session, taken) || Math.min(taken.refused + moved, 1);
    });
  });
}

function preview({ output }: CommandContext, session: Session, all: readonly RequestNews[]): number {
  const heard = new Set(session.landing?.heard ?? []);
  const isNew = ({ id }: { readonly id: string }): boolean => !heard.has(id);
  const reports = all.map(({ request, news: { state, remarks, failed } }) => ({
    request,
    state,
    remarks: remarks.filter(isNew),
    failed: failed.filter(isNew),
  }));
  for (const { request, state, remarks, failed } of reports) {
    const which = request.group === null ? 'The pull request' : `The pull request of ${request.group}`;
    output.result(
      `${which} is ${state}: ${formatCount(remarks.length, 'new remark')}, ${formatCount(failed.length, 'failed check')}.`,
    );
    for (const { by, text, place } of remarks)
      output.result(
        `  ${place === null ? '' : `${toPrintableLine(place.path)}:${place.line ?? ''} `}${toPrintableLine(by)}: ${toPrintableLine(text)}`,
      );
    for (const { name, conclusion } of failed) output.result(`  ${toPrintableLine(name)}: ${conclusion}`);
    const { group } = request;
    output.json({ session: session.id, ...(group === null ? {} : { group }), state, remarks, failed });
  }
  return 0;
}

function reportApplied(
  { output }: CommandContext,
  session: Session,
  { tasks, left, awaited }: AppliedPullRequestNews,
): number {
  for (const { id, remarks, checks } of tasks) {
    const parts = [
      ...(remarks === 0 ? [] : [formatCount(remarks, 'remark')]),
      ...(checks === 0 ? [] : [formatCount(checks, 'failed check')]),
    ];
    output.result(`${id} continues with ${parts.join(' and ')}.`);
  }
  if (tasks.length === 0)
    output.result(
      left + awaited.length === 0 ? 'There is nothing new on the pull request.' : 'No task was sent back now.',
    );
  if (left > 0)
    output.info(`${formatCount(left, 'remark')} wait for the next round: git flame pr, once this one is pushed.`);
  output.json({ session: session.id, tasks, left, awaited });
  if (tasks.length > 0) output.hint('git flame run --pr');
  return 0;
}

/** News of one request from its host, and how it is opened again where it is closed. */
interface RequestNews {
  readonly request: OpenedPullRequest;
  readonly news: PullRequestNews;
  readonly reopen: string;
}

export interface AllPullRequestNews {
  readonly all: readonly RequestNews[];
  /** The number of requests that another person moved, so that nothing of them is taken up. */
  readonly moved: number;
}

/**
 * Asks the host for news of a session's pull requests, and reports authors whose comments are ignored. Of several, one
 * that another person moved is reported with a way out, and the rest go on. Throws FlameErrors `no-pull-request`,
 * `pull-request-moved`, and those of Forge.news: then nothing of any of them is taken up.
 */
export async function fetchPullRequestNews(
  opened: CommandContext,
  io: Io,
  session: Session,
): Promise<AllPullRequestNews> {
  const requests = listOpenPullRequests(session);
  if (requests.length === 0) throw noPullRequest(session);
  const { root: cwd, config } = opened.context;
  const heard = new Set(session.landing?.heard ?? []);
  const reports: RequestNews[] = [];
  let moved = 0;
  for (const request of requests) {
    const { url } = request;
    const forge = openForge(findForgeOfAddress(url), { cwd, io, retry: 'git flame pr' });
    const news = await forge.news(url, config.pull_requests, heard);
    const error = news.state === 'open' ? await movedByOther(opened, request, news) : null;
    if (error !== null) {
      if (requests.length === 1) throw error;
      moved += 1;
      opened.context.events.emit({ event: 'notice', level: 'warning', message: error.message });
      for (const hint of error.hints) opened.output.hint(hint);
      continue;
    }
    reportIgnoredRemarks(opened, news);
    reports.push({ request, news, reopen: forge.reopenLine(url) });
  }
  return { all: reports, moved };
}

/** The error where another person pushed there: its comments are on other commits. null: none did. */
async function movedByOther(
  { git }: CommandContext,
  { branch }: OpenedPullRequest,
  { head }: PullRequestNews,
): Promise<FlameError | null> {
  const tip = await git.resolveCommit(`refs/heads/${branch}`);
  const there = await git.resolveCommit(head);
  if (tip !== null && there !== null && (await git.isAncestor(there, tip))) return null;
  return new FlameError({
    kind: 'refused',
    code: 'pull-request-moved',
    message: `Another person moved ${branch} there to ${shortId(head)}, which your branch does not contain, so no task was sent back.`,
    hints: [
      `git fetch origin ${shellQuote(branch)}`,
      `git log ${shellQuote(`${branch}..FETCH_HEAD`)}`,
      `git merge --ff-only FETCH_HEAD with ${branch} checked out, or push yours over it, then: git flame pr`,
    ],
  });
}

function reportIgnoredRemarks({ output, context }: CommandContext, { ignored }: PullRequestNews): void {
  if (ignored.length === 0) return;
  const names = ignored.map(({ by, count }) => `${toPrintableLine(by)}: ${count}`).join(', ');
  output.info(
    `Ignored comments (pull_requests allows those of ${describeHeardCommenters(context.config.pull_requests)}): ${names}.`,
  );
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
export async function applyPullRequestNews(
  { context, output }: CommandContext,
  id: SessionId,
  { all, isAllowedMore }: { readonly all: readonly RequestNews[]; readonly isAllowedMore: boolean },
): Promise<AppliedPullRequestNews & { readonly refused: number }> {
  let [left, refused] = [0, 0];
  const awaited: string[] = [];
  const tasks: AppliedPullRequestNews['tasks'][number][] = [];
  for (const { request, news, reopen } of all) {
    try {
      const taken = await requeueTasksForRequestNews(context, id, news, { isAllowedMore, reopen, request });
      tasks.push(...taken.tasks);
      left += taken.left;
      awaited.push(...taken.awaited);
    } catch (error) {
      const isOne = error instanceof FlameError && /^pull-request-(?:over|rounds)$/.test(error.code);
      if (all.length === 1 || !isOne) throw error;
      if (error.code === 'pull-request-over') output.info(error.message);
      else {
        refused += 1;
        context.events.emit({ event: 'notice', level: 'warning', message: error.message, details: [] });
        for (const hint of error.hints) output.hint(hint);
      }
    }
  }
  for (const name of awaited) {
    const message = `The log of the failed check ${toPrintableLine(name)} is not available yet, perhaps because its run has not ended. The next git flame pr asks for it again; then the check goes to its task in any case.`;
    output.info(message);
  }
  return { tasks, left, awaited, refused };
}
