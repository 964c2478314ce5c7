import type { OpenGate } from '../../domain/shown/gate.ts';
import { formatDuration } from '../../util/format-time.ts';

/** What may lie between the end of its time, as it was set, and a timer that ends it, in milliseconds. */
const tolerance = 100;

/** How a question ended that nobody answered, a clause. */
export function goneWords({ asks, asked_at }: Pick<OpenGate, 'asks' | 'asked_at'>, goneAt: number): string {
  if (asks.gate !== 'question') return 'this question is not asked any more';
  const until = Date.parse(asks.until);
  if (goneAt < until - tolerance) return `${asks.agent}, which asked it, ended before it was answered`;
  const seconds = Math.max(1, Math.round((until - Date.parse(asked_at)) / 1_000));
  const time = formatDuration(seconds * 1_000).replace(/ 00[sm]$/, '');
  return `its time was over after ${time}; the agent went on with its own judgement`;
}
