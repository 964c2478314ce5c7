import type { RunEvent } from '../../domain/view-models/run-event.ts';
import { formatDuration, formatSpend } from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import { unreachable } from '../../util/unreachable.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

export type EventOf<Kind extends RunEvent['event']> = Extract<RunEvent, { readonly event: Kind }>;
type AgentEvent = EventOf<
  'agent-started' | 'agent-activity' | 'agent-stalled' | 'agent-ended' | 'question' | 'hint' | 'last-word'
>;

/** Renders an agent's action as one line; null: none. */
export function renderAgentEvent(event: AgentEvent, style: Style): string | null {
  const { agent } = event;
  switch (event.event) {
    case 'agent-started':
      return `${agent} started${onTask(event.task)}, pid ${event.pid}`;
    case 'agent-activity':
      return renderActivity(event, style);
    case 'agent-stalled':
      return `${style.yellow('warning:')} ${agent}${onTask(event.task)} has shown no activity for ${formatDuration(event.quiet_ms)}. To watch it: git flame agent attach ${agent}; to stop it: git flame agent stop ${agent}`;
    case 'agent-ended':
      return `${agent} ended${onTask(event.task)} after ${formatDuration(event.duration_ms)}${event.outcome === 'ended' ? '' : `: ${toPrintableLine(event.outcome)}`} (${formatSpend(event)})`;
    case 'question':
      return renderQuestion(event, style);
    case 'hint':
      return renderHint(event, style);
    case 'last-word':
      return `${toPrintableLine(agent)} was about to end, and was asked to fix: ${event.about.map(toPrintableLine).join('; ')}`;
    default:
      return unreachable(event);
  }
}

/** null: only the spending went on. */
function renderActivity(event: EventOf<'agent-activity'>, style: Style): string | null {
  if (event.text.trim() === '') return null;
  return style.dim(`${event.agent}: ${toPrintableLine(event.text)} (${formatSpend(event)})`);
}

function onTask(task: string | null): string {
  return task === null ? '' : ` on ${task}`;
}

function renderQuestion({ agent, task, text, state, answer }: EventOf<'question'>, style: Style): string {
  const who = `${toPrintableLine(agent)}${onTask(task)}`;
  switch (state) {
    case 'asked':
      return `${who} asks: ${toPrintableLine(text)}`;
    case 'answered':
      return `${who} was answered: ${toPrintableLine(answer)}`;
    case 'unanswered':
      return style.yellow(`${who} continues without an answer: ${toPrintableLine(answer)}`);
    case 'dropped':
      return style.yellow(`${who} ended before this was answered: ${toPrintableLine(text)}`);
  }
}

function renderHint({ agent, text, state, next }: EventOf<'hint'>, style: Style): string {
  const name = toPrintableLine(agent);
  switch (state) {
    case 'seen':
      return `${name} received: ${toPrintableLine(text)}`;
    case 'followed':
      return `${name} continues after the message with ${toPrintableLine(next.join(', '))}`;
    case 'missed':
      return style.yellow(`${name} ended before it received: ${toPrintableLine(text)}`);
  }
}

type ChangesetEvent = EventOf<
  'changeset-built' | 'changeset-decided' | 'decision-undone' | 'landed' | 'landing-refused' | 'pull-request'
>;

/** Renders a changeset's event as one line. */
export function renderChangesetEvent(event: ChangesetEvent, style: Style): string {
  switch (event.event) {
    case 'changeset-built':
      return renderBuilt(event, style);
    case 'changeset-decided':
      return renderDecision(event);
    case 'decision-undone':
      return `Changeset ${toPrintableLine(event.changeset)} waits again: its decision (${toPrintableLine(event.was)}) was undone`;
    case 'landed':
      return renderLanding(event, style);
    case 'landing-refused':
      return style.red(`Changeset ${toPrintableLine(event.changeset)} did not land: ${toPrintableLine(event.why)}`);
    case 'pull-request':
      return renderRequest(event, style);
    default:
      return unreachable(event);
  }
}

function renderBuilt(event: EventOf<'changeset-built'>, style: Style): string {
  const red = event.red ? `, ${style.red('diagnostics fail')}` : '';
  return `Changeset ${toPrintableLine(event.changeset)} built at ${shortId(event.commit)}: ${event.tasks.join(', ')}${red}`;
}

function renderDecision(event: EventOf<'changeset-decided'>): string {
  const { changeset, decision, tasks = [] } = event;
  const reason = event.reason ?? '';
  const what = tasks.length === 0 ? decision : `${decision} in part, ${tasks.join(', ')}`;
  const why = reason === '' ? '' : ` (${toPrintableLine(reason)})`;
  return `Changeset ${toPrintableLine(changeset)}: ${toPrintableLine(what)}${why}`;
}

function renderLanding({ changeset, branch, commit }: EventOf<'landed'>, style: Style): string {
  const where = `on ${toPrintableLine(branch)} as ${shortId(commit)}`;
  return style.green(`Changeset ${toPrintableLine(changeset)} landed ${where}`);
}

function renderRequest(event: EventOf<'pull-request'>, style: Style): string {
  const from = `${toPrintableLine(event.branch)} for ${toPrintableLine(event.base)}`;
  if (event.state === 'prepared')
    return `Pull request of ${from} prepared: ${toPrintableLine(event.title)} (body: ${toPrintableLine(event.body_file)})`;
  const where = event.url === null ? '' : `: ${toPrintableLine(event.url)}`;
  return style.green(`Pull request of ${from} ${event.state}${where}`);
}
