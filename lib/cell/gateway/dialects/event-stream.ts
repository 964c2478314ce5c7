import type { JsonRecord } from '../../../util/json.ts';
import type { SpokenAnswer } from './dialect.ts';

/** Events as they are sent to a client; a `type` is their name. */
export function eventStream(events: readonly JsonRecord[], end = ''): SpokenAnswer {
  const lines = events.map((event) => {
    const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return { contentType: 'text/event-stream', body: lines.join('') + end };
}
