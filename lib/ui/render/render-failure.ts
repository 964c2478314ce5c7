import { type FailureKind, furtherDetails } from '../../domain/failure.ts';
import type { Event } from '../../domain/shown/event.ts';
import { tellingLine } from '../../util/telling-lines.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

const mostBrokenRules = 2;
// Failures whose details are a program's output.
const printed: readonly FailureKind[] = ['agent-error', 'agent-crashed', 'setup-failed'];

/** Why a task failed, one line; all of it is in its task's story. */
export function renderFailure(
  { task, failure, will_retry: willRetry }: Extract<Event, { readonly event: 'task-failed' }>,
  style: Style,
): string {
  const all = furtherDetails(failure);
  const shown = shownOf(failure.kind, all);
  const left = all.length - shown.length;
  // A folder of build output breaks a rule with each file.
  const more = left === 0 ? [] : [`${left} more: git flame show ${task}`];
  const details = all.length === 0 ? '' : ` (${[...shown, ...more].map(visibleLine).join('; ')})`;
  const said = `${visibleLine(failure.message)}${details}`;
  const stop = /[.!?)]$/.test(said) ? '' : '.';
  const next = willRetry ? `${stop} It is tried again.` : '';
  return `${style.red(`${task} failed`)}: ${failure.kind}: ${said}${next}`;
}

function shownOf(kind: FailureKind, details: readonly string[]): readonly string[] {
  if (kind === 'violation') return details.slice(0, mostBrokenRules);
  if (!printed.includes(kind)) return details;
  const line = tellingLine(details);
  return line === null ? [] : [line.trim()];
}
