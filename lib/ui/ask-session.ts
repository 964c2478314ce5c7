import type { SessionDecision, SessionQuestion } from '../domain/gates.ts';
import { formatCount } from '../util/format-amount.ts';
import { askText, type Choice, choose } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { renderCycle } from './render-cycle.ts';
import { waitingGates } from './waits-for-person.ts';

type Key = 'c' | 'r' | 's';

/** After a review: another cycle, another plan, or the end. */
export async function askSession(context: GateContext, question: SessionQuestion): Promise<SessionDecision> {
  const asking = context.question(waitingGates.session);
  context.say(renderCycle(question, context.style));
  context.say(
    question.cyclesLeft > 0
      ? `${formatCount(question.cyclesLeft, 'cycle')} left.`
      : 'No cycle is left (limits.max_wave_cycles).',
  );
  const goOn: readonly Choice<Key>[] = [
    { key: 'c', label: '(c)ontinue' },
    { key: 'r', label: '(r)e-plan' },
  ];
  const key = await choose<Key>(asking, [
    ...(question.cyclesLeft > 0 ? goOn : []),
    { key: 's', label: '(s)top' },
  ]);
  if (key === 'c') return { kind: 'continue' };
  if (key === 's') return { kind: 'stop' };
  return { kind: 'replan', notes: await askText(asking, 'What should be different? ') };
}
