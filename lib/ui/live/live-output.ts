import type { RunEvent, RunEventBody } from '../../domain/view-models/run-event.ts';
import { renderEvent } from '../render/render-event.ts';
import type { Output } from '../terminal/output.ts';
import type { LiveView } from './live-view.ts';

/** An output whose lines are in the log of a live view, and on the person's screen once the view has left it. */
export function logOutputInView(output: Output, view: LiveView): Output {
  const aside =
    (write: (text: string) => void) =>
    (text: string): void => {
      view.log(text, null);
      view.aside(() => write(text));
    };
  const emit = (body: RunEventBody): void => {
    view.take(body);
    if (!isHistory(body)) return;
    const event = { at: new Date().toISOString(), ...body } as RunEvent;
    // What became of an agent's task is an event of its own.
    const isSaid = body.event === 'agent-ended' && body.task !== null;
    const line = isSaid ? null : renderEvent(event, view.style);
    if (line !== null) view.log(line, taskOf(body));
    view.aside(() => output.events.emit(body));
  };
  return {
    ...output,
    result: (text) => view.aside(() => output.result(text)),
    json: (answer) => view.aside(() => output.json(answer)),
    info: aside(output.info),
    warn: aside(output.warn),
    hint: aside(output.hint),
    events: { emit },
  };
}

function taskOf(body: RunEventBody): string | null {
  return 'task' in body && typeof body.task === 'string' ? body.task : null;
}

/** True for events that are over and stay worth reading; what begins and continues is in the rows. */
function isHistory(body: RunEventBody): boolean {
  const kind: RunEvent['event'] = body.event;
  if (kind === 'agent-activity' || kind === 'agent-started') return false;
  return body.event !== 'task-changed' || body.to !== 'claimed';
}
