import type { RunEvent, RunEventBody } from '../../domain/view-models/run-event.ts';
import type { Output } from '../terminal/output.ts';
import type { LiveView } from './live-view.ts';

/** An output whose lines scroll above a live view; what the view itself shows is not said again. */
export function scrollOutputAboveView(output: Output, view: LiveView): Output {
  const aside =
    <Value>(write: (value: Value) => void) =>
    (value: Value): void =>
      view.aside(() => write(value));
  const emit = (body: RunEventBody): void => {
    view.take(body);
    if (isHistory(body)) view.aside(() => output.events.emit(body));
  };
  return {
    ...output,
    result: aside(output.result),
    json: aside(output.json),
    info: aside(output.info),
    warn: aside(output.warn),
    hint: aside(output.hint),
    events: { emit },
  };
}

/** True for events that are over and stay worth reading; what begins and continues is in the rows. */
function isHistory(body: RunEventBody): boolean {
  const kind: RunEvent['event'] = body.event;
  if (kind === 'agent-activity' || kind === 'agent-started') return false;
  return body.event !== 'task-changed' || body.to !== 'claimed';
}
