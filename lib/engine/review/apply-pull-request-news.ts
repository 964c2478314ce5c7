import { boundText } from '../../core/task/bound-text.ts';
import { requeueTaskForRemarks } from '../../core/task/take-back-task.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId, TaskId } from '../../domain/ids.ts';
import type { GitDiffs } from '../../domain/ports/git-contents.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { FailedCheck, PullRequestNews, Remark } from '../../domain/state/pull-request-news.ts';
import { listOpenPullRequests, type OpenedPullRequest } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import {
  decideAndRecord,
  type RecordContext,
  requireTaskInView,
  type SessionView,
  viewSession,
} from '../record-changes.ts';
import { type RunContext, timestamp, type WithGit } from '../run-context.ts';
import { assignCommentsToTasks } from './assign-comments.ts';
import {
  checksAwaitingLog,
  countRemarks,
  makeLogRequestedMark,
  maxRemarkCharacters,
  type RemarkForTask,
  rememberRequestedLogs,
  renderRemarksForTask,
} from './describe-remarks.ts';

/** A task takes so many remarks on lines, and as many others, in one round; the rest comes with the next one. */
const mostRemarks = 50;
/** Rounds of a pull request before the person is asked for their word. */
const mostRounds = 3;

export interface AppliedPullRequestNews {
  /** Tasks that go on, with how many remarks and failed checks each was given. */
  readonly tasks: readonly { readonly id: TaskId; readonly remarks: number; readonly checks: number }[];
  /** Remarks left for the next round: a task takes only so many at once, and none while a worker has it. */
  readonly left: number;
  /** Failed checks whose log could not be had: the next time they are taken up, with it or without. */
  readonly awaited: readonly string[];
}

type Landing = NonNullable<Session['landing']>;

interface ApplyNewsOptions {
  readonly isAllowedMore: boolean;
  /** The shell line that opens it again. */
  readonly reopen: string;
  /** Request whose tasks it is about: one group's, or all. */
  readonly request: OpenedPullRequest;
}

/**
 * Brings what is new on a pull request to the tasks it is about, each remark and each failed check once: a task goes
 * back to a worker with them as data, starts from what had landed, and what comes of it lands on the same branch.
 * Throws FlameErrors `pull-request-rounds` and `pull-request-over`.
 */
export async function requeueTasksForRequestNews(
  context: RecordContext & Pick<RunContext, 'now'> & WithGit<GitDiffs>,
  id: SessionId,
  news: PullRequestNews,
  { isAllowedMore, reopen, request }: ApplyNewsOptions,
): Promise<AppliedPullRequestNews> {
  const view = await viewSession(context, id);
  const { branch, group } = request;
  if (news.state !== 'open') throw isOver(branch, news.state, reopen);
  const awaited = checksAwaitingLog(view.session, news.failed);
  const failed = news.failed.filter((check) => !awaited.includes(check));
  const shared = await share(context, view, { news: { ...news, failed }, group });
  let taken: readonly Taken[] = [];
  const result = await decideAndRecord(context, id, (now) => {
    taken = stillNew(now, shared);
    const { landing } = now.session;
    if (landing === undefined) return null;
    const asked = awaited.map(({ id: check }) => makeLogRequestedMark(check));
    if (taken.length === 0)
      return asked.length === 0 ? null : { session: rememberRequestedLogs(now.session, landing, asked) };
    const { rounds = request.rounds } = listOpenPullRequests(now.session).find((one) => one.group === group) ?? {};
    if (!isAllowedMore && rounds >= mostRounds) throw enoughRounds(branch);
    const at = timestamp(context);
    const steps = taken.map(({ task, given }) =>
      requeueTaskForRemarks(task, { summary: countRemarks(given), ...renderRemarksForTask(given), at }),
    );
    const ids = taken.flatMap(({ given }) => given.map((one) => one.id));
    const heard = [...new Set([...(landing.heard ?? []), ...ids, ...asked])];
    const isEnded = now.session.state === 'ended';
    const session: Session = {
      ...now.session,
      landing: { ...countRound(landing, group), heard },
      ...(isEnded ? { state: 'active', wave: 'review' } : {}),
    };
    return { steps, session: { next: session, subject: 'session: comments on its pull request accepted' } };
  });
  const isDone = result.kind === 'done';
  const { session } = isDone ? result.view : await viewSession(context, id);
  const heard = new Set(session.landing?.heard ?? []);
  const left = [...news.remarks, ...failed].filter((one) => !heard.has(one.id)).length;
  const tasks = isDone ? taken.map(countTaken) : [];
  return { tasks, left, awaited: awaited.map(({ name }) => name) };
}

/** With one more round of a group's request, or of the one for all. */
function countRound(landing: Landing, group: string | null): Landing {
  if (group === null) return { ...landing, rounds: (landing.rounds ?? 0) + 1 };
  const requests = landing.requests?.map((one) => (one.group === group ? { ...one, rounds: one.rounds + 1 } : one));
  return requests === undefined ? landing : { ...landing, requests };
}

interface Taken {
  readonly task: Task;
  readonly given: readonly RemarkForTask[];
}

type Shared = ReadonlyMap<TaskId, readonly RemarkForTask[]>;

/** Leaves out remarks that another process has taken up meanwhile, and tasks that have moved on. */
function stillNew(now: SessionView, shared: Shared): readonly Taken[] {
  const heard = new Set(now.session.landing?.heard ?? []);
  return [...shared].flatMap(([id, all]) => {
    const task = requireTaskInView(now, id);
    const given = all.filter((one) => !heard.has(one.id));
    return task.status !== 'merged' || given.length === 0 ? [] : [{ task, given }];
  });
}

function countTaken({ task, given }: Taken): AppliedPullRequestNews['tasks'][number] {
  const checks = given.filter(({ kind }) => kind === 'check').length;
  return { id: task.id, remarks: given.length - checks, checks };
}

/** Shares out new remarks, by the task they are for. */
async function share(
  context: WithGit<GitDiffs>,
  { session, tasks }: SessionView,
  { news: { remarks, failed }, group }: { readonly news: PullRequestNews; readonly group: string | null },
): Promise<Shared> {
  const heard = new Set(session.landing?.heard ?? []);
  const isNew = ({ id }: { readonly id: string }): boolean => !heard.has(id);
  const holds = session.landing?.requests?.find((one) => one.group === group)?.holds ?? [];
  const landed = session.changesets.filter(
    ({ id, state }) => state === 'landed' && (group === null || holds.includes(id)),
  );
  const isOn = (task: Task): boolean => landed.some((changeset) => changeset.tasks.includes(task.id));
  const members = tasks.filter(isOn);
  // A remark on the whole, or a check, names no task: the tasks that landed last know of the others.
  const last = members.filter(({ id }) => landed.at(-1)?.tasks.includes(id) === true);
  const fresh = remarks.filter(isNew).map((remark) => ({ remark, comment: toComment(remark) }));
  const idOf = new Map(
    fresh.flatMap(({ remark, comment }) => (comment === null ? [] : [[comment, remark.id] as const])),
  );
  const placed = await assignCommentsToTasks(context, members, [...idOf.keys()]);
  const whole = fresh.flatMap(({ remark, comment }) => (comment === null ? remark : []));
  const others = renderOthers(failed.filter(isNew), whole);
  return new Map(
    members
      .filter(({ status }) => status === 'merged')
      .map((task) => {
        const onLines = (placed.get(task.id) ?? [])
          .slice(0, mostRemarks)
          .map((comment) => ({ id: idOf.get(comment) ?? '', kind: 'line' as const, comment }));
        return [task.id, last.includes(task) ? [...onLines, ...others] : onLines] as const;
      }),
  );
}

/** Failed checks and remarks on the whole, as many as have room. */
function renderOthers(checks: readonly FailedCheck[], whole: readonly Remark[]): readonly RemarkForTask[] {
  const given: RemarkForTask[] = [];
  let size = 0;
  const add = (id: string, kind: 'check' | 'whole', text: string): void => {
    if (size + text.length > maxRemarkCharacters || given.length >= mostRemarks) return;
    size += text.length;
    given.push({ id, kind, text });
  };
  for (const { id, name, conclusion, url, log } of checks) {
    const end = log === null ? '\nIts log could not be read.' : log === '' ? '' : `\nThe end of its log:\n${log}`;
    add(id, 'check', `The check ${name} ended with ${conclusion}: ${url}${end}`);
  }
  for (const { id, by, text } of whole) add(id, 'whole', `${by}: ${text}`);
  return given;
}

/** null: it is not about a line. */
function toComment({ by, text, place }: Remark): LineComment | null {
  if (place === null || place.line === null || place.line < 1 || place.path.length > 1_000) return null;
  const { path, side, line, isGone, excerpt } = place;
  const gone = isGone ? ' (the line was removed since)' : '';
  const said = boundText(`${by}${gone}: ${text}`, 2_000);
  return { path, side, line, text: said, ...(excerpt === '' ? {} : { excerpt }) };
}

function isOver(branch: string, state: 'closed' | 'merged', reopen: string): FlameError {
  return refusedError(
    'pull-request-over',
    `The pull request of ${branch} was ${state}, so its comments and checks were not applied.`,
    state === 'closed' ? [reopen, 'git flame pr'] : ['git flame status'],
  );
}

function enoughRounds(branch: string): FlameError {
  return refusedError(
    'pull-request-rounds',
    `The pull request of ${branch} has had ${mostRounds} rounds. Its newer comments and checks were not applied.`,
    ['git flame pr --more', 'git flame show'],
  );
}
