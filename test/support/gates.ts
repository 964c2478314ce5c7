import type { OpenGate } from '../../lib/domain/questions/gate.ts';
import type { TestBoard } from './board.ts';

type Tab = Pick<TestBoard, 'ask' | 'until'>;

/** Answers a question as a tab does; what the board says of it: '' where it counts. */
export async function answerGate(tab: Tab, gate: Pick<OpenGate, 'id'>, answer: unknown): Promise<string> {
  const { status, value } = await tab.ask('/api/answer', {
    method: 'POST',
    body: JSON.stringify({ gate: gate.id, answer }),
  });
  return status === 200 ? '' : `${status} ${(value as { message: string }).message}`;
}

/** The next question of that kind. */
export async function nextGate(tab: Tab, kind: OpenGate['asks']['gate'], seen = ''): Promise<OpenGate> {
  const { gate } = await tab.until(
    ({ gate: now }) => now !== null && now.id !== seen && now.asks.gate === kind,
  );
  if (gate === null) throw new Error('there is none');
  return gate;
}
