import type { GateAsks } from '../../domain/shown/gate.ts';
import { formatCount } from '../../util/format-amount.ts';
import { unreachable } from '../../util/unreachable.ts';

/** A question in one line. Texts are as they are stored. */
export function gateTitle(asks: GateAsks): string {
  switch (asks.gate) {
    case 'plan':
      return asks.problems.length === 0
        ? `Approve this plan of ${formatCount(asks.tasks, 'task')}?`
        : `This plan of ${formatCount(asks.tasks, 'task')} has mistakes`;
    case 'validation':
      return `${asks.task} failed its validation`;
    case 'validator_failed':
      return `The validator of ${asks.task} failed`;
    case 'changesets':
      return `Changeset ${asks.position} of ${asks.total}: ${asks.group}`;
    case 'session':
      return `Cycle ${asks.cycle} is over`;
    case 'budget':
      return "The session's budget is spent";
    case 'base':
      return 'Checks fail on the base already';
    case 'question':
      return `${asks.agent} asks${asks.task === null ? '' : ` about ${asks.task}`}`;
    default:
      return unreachable(asks);
  }
}
