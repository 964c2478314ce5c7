import { type FailureKind, listFurtherDetails } from '../../domain/failure.ts';
import type { RunEvent } from '../../domain/view-models/run-event.ts';
import { pickFailureLine } from '../../util/error-text.ts';
import { formatCount, formatDuration, formatSpend } from '../../util/format-figures.ts';
import { textWidth, wrapText } from '../../util/format-width.ts';
import { isJsonRecord } from '../../util/json.ts';
import { shortId } from '../../util/short-names.ts';
import { unreachable } from '../../util/unreachable.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { renderEvidenceDoubt } from './changeset-lines.ts';
import { renderAttemptEnd } from './render-attempts.ts';
import { describePredictedConflict } from './render-predicted-conflicts.ts';
import { type EventOf, renderAgentEvent, renderChangesetEvent } from './render-work-event.ts';

/** An event as one line for a terminal or a log; null: nothing to say. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one switch over all events, which the compiler keeps whole.
export function renderEvent(event: RunEvent, style: Style): string | null {
  switch (event.event) {
    case 'session-started':
      return renderStart(event, style);
    case 'notice':
      return renderNotice(event, style);
    case 'canary':
      return renderCanary(event, style);
    case 'wave-started':
      return style.bold(`Wave ${toPrintableLine(event.wave)}, cycle ${event.cycle}`);
    case 'wave-ended':
      return `Wave ${toPrintableLine(event.wave)} ended: ${toPrintableLine(event.summary)}`;
    case 'plan-proposed':
      return `Plan proposed: ${formatCount(event.tasks, 'task')} in ${formatCount(event.waves, 'step')}`;
    case 'plan-invalid':
      return style.yellow(`Plan invalid: ${joinLines(event.problems)}`);
    case 'task-changed':
      return renderChange(event);
    case 'agent-started':
    case 'agent-activity':
    case 'agent-stalled':
    case 'agent-ended':
    case 'question':
    case 'hint':
    case 'last-word':
      return renderAgentEvent(event, style);
    case 'task-failed':
      return renderFailure(event, style);
    case 'attempt-ended':
      return renderAttemptEnd(event, style);
    case 'check': // The live view shows it, and the verdict says what it came to.
      return null;
    case 'verdict':
      return renderVerdict(event, style);
    case 'evidence-verified':
      return renderVerified(event, style);
    case 'manual-review':
      return `${style.yellow('warning:')} ${renderEvidenceDoubt(event)}`;
    case 'changeset-built':
    case 'changeset-decided':
    case 'decision-undone':
    case 'landed':
    case 'landing-refused':
    case 'pull-request':
      return renderChangesetEvent(event, style);
    case 'board':
      return `Board: ${event.url}${event.tunnel === undefined ? '' : `\nThrough your tunnel: ${event.tunnel}`}`;
    case 'review-page':
      return `Review page: ${event.url}`;
    case 'queen-call':
      return renderLeadAgentCall(event, style);
    case 'paused':
      return renderPause(event, style);
    case 'resumed':
      return `${toPrintableLine(event.adapter)} continues.`;
    case 'conflicts-ahead':
      return renderConflicts(event, style);
    case 'claim-passed-on':
    case 'remote-lost':
    case 'remote-back':
    case 'result-superseded':
      return renderMachineEvent(event, style);
    case 'gate':
      return `Decided at the ${toPrintableLine(event.gate)} gate: ${toPrintableLine(event.decision)}`;
    case 'script':
      return renderScript(event, style);
    case 'session-ended':
      return renderSessionEnd(event, style);
    default:
      return unreachable(event);
  }
}

type MachineEvent = EventOf<'claim-passed-on' | 'remote-lost' | 'remote-back' | 'result-superseded'>;

function renderMachineEvent(event: MachineEvent, style: Style): string {
  const label = event.event === 'remote-back' ? '' : `${style.yellow('warning:')} `;
  const details = event.event === 'result-superseded' ? event.details.map(toPrintableLine) : [];
  return [`${label}${toPrintableLine(event.message)}`, ...details].join(' ');
}

function renderStart(event: EventOf<'session-started'>, style: Style): string {
  const { session, base_branch: branch, objective } = event;
  return style.bold(`Session ${session} on ${toPrintableLine(branch)}: ${toPrintableLine(objective)}`);
}

/** Why a task failed is in the event that follows. */
function renderChange({ task, from, to, why }: EventOf<'task-changed'>): string {
  return `${task}: ${from} -> ${to}${to === 'failed' ? '' : inParentheses(why)}`;
}

function renderConflicts({ added }: EventOf<'conflicts-ahead'>, style: Style): string | null {
  if (added.length === 0) return null;
  return `${style.yellow('warning:')} ${added.map(describePredictedConflict).join('; ')}`;
}

/** Several details stand below each other at a terminal; elsewhere an event is one line. */
function renderNotice(event: EventOf<'notice'>, style: Style): string {
  const details = event.details ?? [];
  const label = event.level === 'warning' ? `${style.yellow('warning:')} ` : '';
  const message = label + toPrintableLine(event.message);
  if (details.length === 0) return message;
  if (details.length === 1 || !Number.isFinite(style.width)) return `${message} (${joinLines(details)})`;
  return [message, ...details.flatMap((line) => renderDetail(line, style))].join('\n');
}

/** `path: old -> new`, the form of changed values, with both values highlighted. */
function renderDetail(text: string, style: Style): readonly string[] {
  const line = toPrintableLine(text);
  const [, path, before, after] = /^([\w.[\]-]+: )(.*) -> (.*)$/.exec(line) ?? [];
  if (path === undefined || before === undefined || after === undefined) return wrapText(line, style.width, '  ');
  if (textWidth(line) + 2 <= style.width) return [`  ${path}${style.red(before)} -> ${style.green(after)}`];
  return [
    ...wrapText(path, style.width, '  '),
    ...wrapText(`- ${before}`, style.width, '    ').map(style.red),
    ...wrapText(`+ ${after}`, style.width, '    ').map(style.green),
  ];
}

function renderLeadAgentCall(event: EventOf<'queen-call'>, style: Style): string {
  const about = event.about === '' ? '' : ` ${toPrintableLine(event.about)}`;
  const refused = event.code === null ? '' : `: refused, ${toPrintableLine(event.code)}`;
  return style.dim(`${event.agent} calls ${event.tool}${about}${refused} (${formatSpend(event)})`);
}

function renderCanary(event: EventOf<'canary'>, style: Style): string {
  const details = inParentheses(event.details);
  if (event.result === 'denied') return `Canary: the forbidden call was denied${details}`;
  if (event.result === 'not-needed') return `Canary: not needed${details}`;
  return style.red(`Canary: the forbidden call was not denied${details}`);
}

function renderVerdict(event: EventOf<'verdict'>, style: Style): string {
  const status = event.status === 'pass' ? style.green('pass') : style.red('fail');
  const notes = event.notes === '' ? '' : `: ${toPrintableLine(event.notes)}`;
  return `${event.task}: ${status} at ${shortId(event.commit)} by ${toPrintableLine(event.by)}${notes}`;
}

function renderVerified({ task, commit, found, differences }: EventOf<'evidence-verified'>, style: Style): string {
  const about = `${task} at ${shortId(commit)}`;
  return differences.length === 0
    ? `${about}: ${style.green('the evidence matches')}, ${found.slice(0, 19)}`
    : `${about}: ${style.red('the evidence differs')}: ${joinLines(differences)}`;
}

function renderScript(event: EventOf<'script'>, style: Style): string {
  const name = `Script ${toPrintableLine(event.hook)}`;
  if (event.exit_code === 0) return `${name} ended with 0`;
  const how = event.exit_code === null ? 'was killed' : `ended with ${event.exit_code}`;
  const last = event.output.trimEnd().split('\n').at(-1) ?? '';
  return `${style.yellow('warning:')} ${name} ${how}${last === '' ? '' : `: ${toPrintableLine(last)}`}`;
}

function renderPause(event: EventOf<'paused'>, style: Style): string {
  const wait = formatDuration(Math.max(0, Date.parse(event.until) - Date.parse(event.at)));
  return `${style.yellow('Paused:')} ${toPrintableLine(event.why)} No agent of ${toPrintableLine(event.adapter)} starts before ${formatMoment(event)}, in ${wait}.`;
}

/** The time of day here, with the date where it's another day. */
function formatMoment({ at, until }: EventOf<'paused'>): string {
  const [now, end] = [new Date(at), new Date(until)];
  const time = end.toTimeString().slice(0, 8);
  return now.toDateString() === end.toDateString() ? time : `${end.toDateString()} ${time}`;
}

/** The last event carries the whole status; at a terminal its outline is enough. */
function renderSessionEnd(event: EventOf<'session-ended'>, style: Style): string {
  const session = isJsonRecord(event.session) ? event.session : {};
  const tasks = Array.isArray(event.tasks) ? event.tasks.filter(isJsonRecord) : [];
  const counts = new Map<string, number>();
  for (const { status } of tasks) counts.set(String(status), (counts.get(String(status)) ?? 0) + 1);
  const outline = [...counts].map(([status, count]) => `${count} ${toPrintableLine(status)}`).join(', ');
  const spend = formatSpend({ cost_usd: Number(session.cost_usd ?? 0), tokens: Number(session.tokens ?? 0) });
  const state = typeof session.state === 'string' ? ` ${toPrintableLine(session.state)}` : ' ended';
  const name = typeof session.id === 'string' ? `Session ${toPrintableLine(session.id)}` : 'Session';
  return style.bold(`${name}${state}: ${outline === '' ? 'no tasks' : outline} (${spend})`);
}

/** Each without the full stop that it may end with. */
function joinLines(lines: readonly string[]): string {
  return lines.map((line) => toPrintableLine(line).replace(/(?<!\.)\.$/, '')).join('; ');
}

function inParentheses(text: string): string {
  return text === '' ? '' : ` (${toPrintableLine(text)})`;
}

const mostBrokenRules = 2;
// Failures whose details are a program's output.
const printed: readonly FailureKind[] = ['agent-error', 'agent-crashed', 'setup-failed'];

/** Why a task failed, one line; all of it is in its task's story. */
function renderFailure(
  { task, failure, will_retry: willRetry }: Extract<RunEvent, { readonly event: 'task-failed' }>,
  style: Style,
): string {
  const all = listFurtherDetails(failure);
  const shown = shownOf(failure.kind, all);
  const left = all.length - shown.length;
  // A folder of build output breaks a rule with each file.
  const more = left === 0 ? [] : [`${left} more: git flame show ${task}`];
  const details = all.length === 0 ? '' : ` (${[...shown, ...more].map(toPrintableLine).join('; ')})`;
  const said = `${toPrintableLine(failure.message)}${details}`;
  const stop = /[.!?)]$/.test(said) ? '' : '.';
  const next = willRetry ? `${stop} Another attempt follows.` : '';
  return `${style.red(`${task} failed`)}: ${failure.kind}: ${said}${next}`;
}

function shownOf(kind: FailureKind, details: readonly string[]): readonly string[] {
  if (kind === 'violation') return details.slice(0, mostBrokenRules);
  if (!printed.includes(kind)) return details;
  const line = pickFailureLine(details);
  return line === null ? [] : [line.trim()];
}
