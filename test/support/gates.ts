import type { PendingQuestion } from '../../lib/domain/questions/question-data.ts';
import type { TestBoard } from './board.ts';

type Tab = Pick<TestBoard, 'ask' | 'until'>;

/** Answers a question as a tab does; what the board says of it: '' where it counts. */
export async function answerGate(tab: Tab, gate: Pick<PendingQuestion, 'id'>, answer: unknown): Promise<string> {
  const { status, value } = await tab.ask('/api/answer', {
    method: 'POST',
    body: JSON.stringify({ gate: gate.id, answer }),
  });
  return status === 200 ? '' : `${status} ${(value as { message: string }).message}`;
}

/** The next question of that kind. */
export async function nextGate(tab: Tab, kind: PendingQuestion['asks']['gate'], seen = ''): Promise<PendingQuestion> {
  const { gate } = await tab.until(({ gate: now }) => now !== null && now.id !== seen && now.asks.gate === kind);
  if (gate === null) throw new Error('there is none');
  return gate;
}
