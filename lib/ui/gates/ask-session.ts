import type { SessionDecision, SessionQuestion } from '../../domain/ports/gates.ts';
import { formatCount } from '../../util/format-amount.ts';
import { renderCycle } from '../render/render-cycle.ts';
import { askText, type Choice, choose } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { waitingGates } from './waits-for-person.ts';

type Key = 'c' | 'r' | 's';

/** After a review: another cycle, another plan, or the end. */
export async function askSession(context: GateContext, question: SessionQuestion): Promise<SessionDecision> {
  const asking = context.question(waitingGates.session);
  context.say(renderCycle(question, context.style));
  for (const line of outlook(question)) context.say(line);
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

/** What each answer leads to. */
function outlook({ cyclesLeft, summary }: SessionQuestion): readonly string[] {
  const later = 'stop: everything is kept; git flame run continues later';
  if (cyclesLeft <= 0) return ['No cycle is left (limits.max_wave_cycles).', later];
  const again = summary.requeued + summary.open;
  return [
    `${formatCount(cyclesLeft, 'cycle')} left.`,
    `continue: ${formatCount(again, 'task')} to continue with in the next cycle`,
    're-plan: you tell a planner what should be different',
    later,
  ];
}
