import type { Event } from '../../domain/shown/event.ts';
import { formatDuration, formatSpend } from '../../util/format-figures.ts';
import { unreachable } from '../../util/unreachable.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

type EventOf<Kind extends Event['event']> = Extract<Event, { readonly event: Kind }>;
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
      return `${style.yellow('warning:')} ${agent}${onTask(event.task)} has given no sign of life for ${formatDuration(event.quiet_ms)}. To look: git flame agent attach ${agent}; to end it: git flame agent stop ${agent}`;
    case 'agent-ended':
      return `${agent} ended${onTask(event.task)} after ${formatDuration(event.duration_ms)}${event.outcome === 'ended' ? '' : `: ${visibleLine(event.outcome)}`} (${formatSpend(event)})`;
    case 'question':
      return renderQuestion(event, style);
    case 'hint':
      return renderHint(event, style);
    case 'last-word':
      return `${visibleLine(agent)} meant to end, and was told: ${event.about.map(visibleLine).join('; ')}`;
    default:
      return unreachable(event);
  }
}

/** null: only the spending went on. */
function renderActivity(event: EventOf<'agent-activity'>, style: Style): string | null {
  if (event.text.trim() === '') return null;
  return style.dim(`${event.agent}: ${visibleLine(event.text)} (${formatSpend(event)})`);
}

function onTask(task: string | null): string {
  return task === null ? '' : ` on ${task}`;
}

function renderQuestion({ agent, task, text, state, answer }: EventOf<'question'>, style: Style): string {
  const who = `${visibleLine(agent)}${onTask(task)}`;
  switch (state) {
    case 'asked':
      return `${who} asks: ${visibleLine(text)}`;
    case 'answered':
      return `${who} was answered: ${visibleLine(answer)}`;
    case 'unanswered':
      return style.yellow(`${who} goes on by itself: ${visibleLine(answer)}`);
    case 'dropped':
      return style.yellow(`${who} ended before this was answered: ${visibleLine(text)}`);
  }
}

function renderHint({ agent, text, state, next }: EventOf<'hint'>, style: Style): string {
  const name = visibleLine(agent);
  switch (state) {
    case 'seen':
      return `${name} has been told: ${visibleLine(text)}`;
    case 'followed':
      return `${name} goes on with what it was told: ${visibleLine(next.join(', '))}`;
    case 'missed':
      return style.yellow(`${name} ended before it could be told: ${visibleLine(text)}`);
  }
}
