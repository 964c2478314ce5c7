import { summarizeGuide } from '../../domain/questions/guide-summary.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { renderClosesIssueLine } from '../../domain/state/pull-request-news.ts';
import type { GuidedFile, ReadingGuide } from '../../domain/state/reading-guide.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { formatCount, formatSpend } from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';

const longestTitle = 120;

export interface PullRequestText {
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

/** Title and body of a pull request for what a session has landed on a branch: its tasks, verdicts and checks. */
export function renderSessionPullRequest(of: RequestOf): PullRequestText {
  const { session } = of;
  const landed = session.changesets.filter(({ state }) => state === 'landed');
  const [first = session.id, ...rest] = session.objective.trim().split('\n');
  return renderRequest(of, { landed, first, rest: rest.join('\n').trim(), on: [] });
}

/** As above, for the changesets of one group: in the words of its landing message, with what it is stacked on. */
export function renderChangesetPullRequest(
  of: RequestOf,
  {
    landed,
    message,
    on,
  }: { readonly landed: readonly Changeset[]; readonly message: string; readonly on: readonly string[] },
): PullRequestText {
  const [first = of.session.id, ...rest] = message.trim().split('\n');
  const said = rest.filter((line) => !/^(?:Task|Session): \S+$|^Closes /.test(line));
  return renderRequest(of, { landed, first, rest: said.join('\n').trim(), on });
}

interface RequestOf {
  readonly session: Session;
  readonly tasks: readonly Task[];
  readonly verdictOf: (task: Task) => Verdict | null;
  /** The order each changeset is read in, by its id; of one whose diff can't be read, none. */
  readonly guides: ReadonlyMap<string, ReadingGuide>;
}

interface RequestWords {
  readonly landed: readonly Changeset[];
  readonly first: string;
  readonly rest: string;
  /** Addresses and branches. */
  readonly on: readonly string[];
}

function renderRequest(
  { session, tasks, verdictOf, guides }: RequestOf,
  { landed, first, rest, on }: RequestWords,
): PullRequestText {
  const title = toPrintableLine(first.trim());
  const body = [
    ...(rest === '' ? [] : [plainText(rest)]),
    ...on.map((below) => `Stacked on ${toPrintableLine(below)}: merge that first.`),
    ...landed.flatMap((changeset) => renderChangeset(changeset, { landed, tasks, verdictOf, guides })),
    ...closing(landed.flatMap((changeset) => tasks.filter(({ id }) => changeset.tasks.includes(id)))),
    `Session ${code(session.id)}, ${formatSpend(session)}. The verdicts are notes on the commits: ${code('git flame show TASK')}.`,
  ];
  return {
    title: title.length > longestTitle ? `${title.slice(0, longestTitle - 1)}…` : title,
    body: `${body.join('\n\n')}\n`,
  };
}

function renderChangeset(
  changeset: Changeset,
  { landed, tasks, verdictOf, guides }: Omit<RequestOf, 'session'> & Pick<RequestWords, 'landed'>,
): readonly string[] {
  // A task of several rounds is listed where it landed last.
  const members = tasks.filter(({ id }) => landed.findLast((one) => one.tasks.includes(id)) === changeset);
  if (members.length === 0) return [];
  const { files, insertions, deletions } = changeset.diffstat;
  return [
    [
      `### ${plainLine(changeset.group)}`,
      '',
      ...members.flatMap((task) => renderTask(task, verdictOf(task))),
      '',
      `${formatCount(files, 'file')} changed, +${insertions} −${deletions}; approved by ${code(changeset.decided_by ?? 'unknown')} as ${code(shortId(changeset.commit))}.`,
      ...renderGuide(guides.get(changeset.id)),
      ...(changeset.reason === null ? [] : ['', `Approved despite failing checks: ${plainLine(changeset.reason)}`]),
    ].join('\n'),
  ];
}

/** In which order to read it, with why files changed and what deserves a second look. */
function renderGuide(guide: ReadingGuide | undefined): readonly string[] {
  if (guide === undefined || guide.chapters.length === 0) return [];
  const chapters = summarizeGuide(guide).flatMap(({ heading, count, files, more }, index) => [
    `${index + 1}. ${plainLine(heading)}${/^\d|^Subject: /.test(heading) && count === 1 ? '' : ` (${formatCount(count, 'file')})`}`,
    ...files.map(renderGuidedFile),
    ...(files.length === 0 || more.files === 0 ? [] : [`   - and ${more.files} more`]),
  ]);
  return ['', 'To be read in this order:', '', ...chapters];
}

function renderGuidedFile({ path, why, marks }: GuidedFile): string {
  const claim = why === null ? [] : [`says the worker of ${why.task}: ${plainLine(why.text)}`];
  const looks = marks.map(({ reason }) => `**look twice:** ${plainLine(reason)}`);
  return [`   - ${code(path)}`, ...claim, ...looks].join('<br>');
}

/** Issues a person made tasks of: these alone are closed. */
function closing(members: readonly Task[]): readonly string[] {
  const lines = new Set(members.flatMap(({ source }) => renderClosesIssueLine(source) ?? []));
  return lines.size === 0 ? [] : [[...lines].join('\n')];
}

function renderTask({ id, title }: Task, verdict: Verdict | null): readonly string[] {
  const head = `- **${id}** ${plainLine(title)}`;
  if (verdict === null) return [head];
  const checks = verdict.diagnostics.map(
    ({ command, exit_code }) =>
      `${code(command)} ${exit_code === 0 ? 'passed' : `ended with ${exit_code ?? 'a signal'}`}`,
  );
  const notes = toPrintableLine(verdict.notes);
  return [
    head,
    `  - ${verdict.status} by ${code(verdict.by)}${notes === '' ? '' : `: ${plainLine(notes)}`}`,
    ...(checks.length === 0 ? [] : [`  - ${checks.join(', ')}`]),
    ...(verdict.evidence === undefined ? [] : [`  - evidence ${code(verdict.evidence.verification_hash)}`]),
  ];
}

/**
 * A model's line in Markdown, with its text and nothing more: no markup, no HTML, no person mentioned, no issue closed by
 * it, and nothing that GitLab does where a line begins with its name (`/merge`).
 */
function plainLine(text: string): string {
  return toPrintableLine(text)
    .replace(/[\\`*_{}[\]<>|~&!]/g, '\\$&')
    .replace(/^(\s*)([-+=/]|\d+[.)])/, '$1\\$2')
    .replace(/[@#](?=\w)/g, '$&<!-- -->')
    .replace(/\b(GH-)(?=\d)/gi, '$1<!-- -->')
    .replace(/\b(https?):(?=\/\/)/gi, '$1<!-- -->:');
}

function plainText(text: string): string {
  return toPrintableText(text).split('\n').map(plainLine).join('\n');
}

/** Text between as many backticks as it needs. */
function code(text: string): string {
  const line = toPrintableLine(text);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}
