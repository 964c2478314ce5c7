import { renderLineRange } from '../../domain/state/line-range.ts';
import type { HistoryEntry, Task } from '../../domain/state/task-schema.ts';
import type { TaskStory } from '../../domain/view-models/task-story.ts';
import { formatDuration, formatSpend, formatTime } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { dropMailAddresses, nameDecider, toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import { formatTimeBetween, renderIndentedTable, renderSection } from '../text/sections.ts';
import type { Style } from '../text/style.ts';
import { renderEvidenceDoubt } from './changeset-lines.ts';
import { describeAttempts, renderAttempts } from './render-attempts.ts';
import { renderCalls } from './render-calls.ts';
import { decidedElsewhereMark, renderTaskWork } from './render-changeset-decision.ts';
import { renderNextCommand } from './render-error.ts';
import { renderNotes } from './render-notes.ts';
import { describePredictedConflicts } from './render-predicted-conflicts.ts';
import { paintStatus } from './render-status.ts';
import { removeRepeatedLines, renderBullet, renderVerdict } from './render-verdict.ts';

/** The whole story of a task: what it asks, where it stands, what was tried and found, and what to do next. */
export function renderTask(story: TaskStory, style: Style): string {
  const { task, verdicts, doubts } = story;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Description', wrapText(toPrintableText(task.description.trimEnd()), style.width, '  ')],
    ['Acceptance criteria', bullets(task.acceptance_criteria, style)],
    ['Constraints', bullets(task.constraints, style)],
    ['Waits for', bullets(story.waits_for, style)],
    ['Attempts', task.history.flatMap((entry) => renderAttempt(entry, story, style))],
    ['Parallel attempts', renderAttempts(task, style)],
    ['Other agents', renderOthers(story, style)],
    ['Calls', renderCalls(story.calls, style)],
    ['Result', renderResult(task, style)],
    ['Notes', renderNotes(story.notes, style, '  ')],
    ['Work', story.work === null ? [] : renderTaskWork(story.work, style)],
    [
      'Verdicts',
      [
        ...verdicts.flatMap((verdict) =>
          renderVerdict(verdict, style, {
            indent: '  ',
            remark: story.uncounted_verdicts.includes(verdict) ? decidedElsewhereMark : '',
          }),
        ),
        ...doubts.flatMap((doubt) => wrapText(renderEvidenceDoubt(doubt), style.width, '  ')).map(style.yellow),
      ],
    ],
    ['Changesets', renderSets(story, style)],
    ['Conflicts ahead', bullets(describePredictedConflicts(story.conflicts_ahead), style)],
    ['Kept', renderKept(story, style)],
  ];
  return [
    ...wrapText(`${task.id}: ${toPrintableLine(task.title)}`, style.width).map(style.bold),
    ...renderFacts(task, style),
    ...sections.flatMap(([title, lines]) => renderSection(title, lines, style)),
    ...(story.next.length === 0 ? [] : ['']),
    ...story.next.map((command) => renderNextCommand(toPrintableLine(command), style)),
  ].join('\n');
}

function renderFacts(task: Task, style: Style): readonly string[] {
  const rows: readonly (readonly [string, string | null])[] = [
    ['status', paintStatus(task.status, style)],
    ['why', task.reason],
    ['group', task.cohesion_group],
    ['priority', String(task.priority)],
    ['after', joined(task.dependencies)],
    ['locks', joined(task.file_locks) ?? 'everything'],
    ['agent', task.agent_id],
    [
      'claimed',
      task.status === 'claimed' && task.agent_id === null
        ? `by ${dropMailAddresses(task.claimed_by ?? '')} on ${task.claimed_host ?? 'an unknown host'}`
        : null,
    ],
    ['branch', branchOf(task)],
    ['stacked on', joined((task.built_on ?? []).map((one) => `${one.task} at ${shortId(one.commit)}`))],
    ['continues from', task.kept === undefined ? null : shortId(task.kept.commit)],
    ['retries', task.retry_count === 0 ? null : String(task.retry_count)],
    ['not before', task.not_before === null ? null : formatTime(task.not_before)],
    ['model', task.model],
    ['adapter', task.adapter],
    ['attempts', describeAttempts(task)],
    ['created', `${formatTime(task.created_at)} by ${dropMailAddresses(task.created_by)}`],
    ['updated', formatTime(task.updated_at)],
  ];
  const shown = rows.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, name === 'status' ? value : toPrintableLine(value)]],
  );
  return renderIndentedTable(shown, style);
}

function branchOf(task: Task): string | null {
  if (task.branch === null) return null;
  const from = task.start_commit === null ? '' : `, from ${shortId(task.start_commit)}`;
  return task.commit === null ? task.branch : `${task.branch} at ${shortId(task.commit)}${from}`;
}

/** Renders the result, without what the status, the reason and the attempts show already. */
function renderResult({ result, reason, history }: Task, style: Style): readonly string[] {
  const before = [reason, ...history.map(({ notes }) => notes)];
  const notes = removeRepeatedLines(result.notes, before);
  const issues = result.issues
    .map((issue) => removeRepeatedLines(issue, [...before, notes]))
    .filter((issue) => issue !== '');
  const isSaid = result.notes !== '' || result.issues.length > 0;
  if (result.status === null ? notes === '' : isSaid && notes === '' && issues.length === 0) return [];
  const status = result.status === null ? '' : `${result.status}${notes === '' ? '' : ': '}`;
  return [
    ...wrapText(status + toPrintableText(notes), style.width, '  '),
    ...issues.flatMap((issue) => renderBullet(issue, style, '  ')),
  ];
}

function renderAttempt(entry: HistoryEntry, { times, task }: TaskStory, style: Style): readonly string[] {
  const took = times.find(({ agent }) => agent === entry.agent_id)?.took_ms ?? null;
  const facts = [
    `${entry.attempt}. ${toPrintableLine(entry.result)}`,
    ...(entry.agent_id === null ? [] : [`by ${toPrintableLine(entry.agent_id)}`]),
    formatTime(entry.timestamp),
    // Where only the commits record it, they do so in whole seconds.
    ...(took === null ? [] : [took === 0 ? 'took less than 1 s' : `took ${formatDuration(took)}`]),
    formatSpend({ cost_usd: entry.cost_usd, tokens: entry.tokens_used }),
  ];
  const reason = entry.rejection_reason;
  // The notes of an attempt that was sent back begin with the reason.
  const rejected = reason !== null && entry.notes.includes(reason) ? null : reason;
  // The reason of its state is above.
  const notes = removeRepeatedLines(entry.notes, [task.reason]);
  return [
    ...wrapText(facts.join(' · '), style.width, '  '),
    ...(notes === '' ? [] : wrapText(toPrintableText(notes), style.width, '     ')),
    ...(entry.comments ?? []).flatMap(({ path, text, side, ...at }) =>
      wrapText(
        `${toPrintableLine(path)}:${renderLineRange({ ...at, side })}: ${toPrintableText(text)}`,
        style.width,
        '     ',
      ),
    ),
    ...(rejected === null
      ? []
      : wrapText(`sent back: ${toPrintableText(rejected)}`, style.width, '     ').map(style.yellow)),
  ];
}

/** Paid agents that made no attempt: they judged it, or solved its conflicts. */
function renderOthers({ runs, task }: TaskStory, style: Style): readonly string[] {
  const own = new Set([...task.history, ...(task.tries ?? [])].map(({ agent_id }) => agent_id));
  return runs
    .filter(({ id }) => !own.has(id))
    .flatMap((run) => {
      const took = formatTimeBetween(run.started_at, run.ended_at);
      const facts = [toPrintableLine(run.id), toPrintableLine(run.outcome), `took ${took}`, formatSpend(run)];
      return wrapText(facts.join(' · '), style.width, '  ');
    });
}

function renderSets({ changesets, uncounted }: TaskStory, style: Style): readonly string[] {
  return changesets.flatMap((set) => {
    const facts = [
      `${toPrintableLine(set.id)} ${set.state}`,
      ...(set.landed_commit === null ? [] : [`as ${shortId(set.landed_commit)}`]),
      ...(nameDecider(set) === null ? [] : [`by ${toPrintableLine(nameDecider(set) ?? '')}`]),
      ...(uncounted.includes(set.id) ? [decidedElsewhereMark] : []),
    ];
    const reason = set.reason === null || set.reason === '' ? '' : `: ${toPrintableText(set.reason)}`;
    return wrapText(`${facts.join(' ')}${reason}`, style.width, '  ');
  });
}

function renderKept({ worktrees, rescues }: TaskStory, style: Style): readonly string[] {
  return [
    ...worktrees.map((path) => `worktree ${toPrintableLine(path)}`),
    ...rescues.map(({ name, why }) => `rescue ${toPrintableLine(name)}: ${toPrintableLine(why)}`),
  ].flatMap((line) => wrapText(line, style.width, '  '));
}

function bullets(texts: readonly string[], style: Style): readonly string[] {
  return texts.flatMap((text) => renderBullet(text, style, '  '));
}

function joined(words: readonly string[]): string | null {
  return words.length === 0 ? null : words.join(', ');
}
