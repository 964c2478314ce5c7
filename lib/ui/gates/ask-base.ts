import type { FlameError } from '../../domain/flame-error.ts';
import type { BaseDecision, BaseQuestion } from '../../domain/ports/gates.ts';
import { visibleLine } from '../text/visible-text.ts';
import { choose } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { unanswered, waitingGates } from './waits-for-person.ts';

/** Diagnostics fail before anybody worked: pay agents all the same, or stop. */
export async function askBase(context: GateContext, { failing }: BaseQuestion): Promise<BaseDecision> {
  context.say(context.style.bold(`${failing.map(visibleLine).join('; ')}.`));
  context.say('Agents would be paid for work that cannot pass.');
  const onEnd = (): FlameError =>
    unanswered('Whether agents work although diagnostics fail on the base waits for a person.', {
      hints: ['git flame work'],
    });
  const key = await choose({ ...context.question(waitingGates.session), onEnd }, [
    { key: 'g', label: '(g)o on all the same' },
    { key: 's', label: '(s)top' },
  ]);
  return key === 'g' ? 'go-on' : 'stop';
}
