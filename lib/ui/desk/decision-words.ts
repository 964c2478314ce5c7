import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import type {
  AgentAnswer,
  BaseDecision,
  BudgetDecision,
  PlanDecision,
  SessionDecision,
  ValidationDecision,
  ValidatorFailedDecision,
} from '../../domain/ports/gates.ts';
import { unreachable } from '../../util/unreachable.ts';

/** An answer to any of the questions. */
export type Decided =
  | PlanDecision
  | ValidationDecision
  | ValidatorFailedDecision
  | ChangesetDecision
  | SessionDecision
  | BudgetDecision
  | BaseDecision
  | AgentAnswer;

/** What was decided, in a few words: `approved`, `rejected: too early`. */
export function decisionWords(decision: Decided): string {
  if (decision === 'go-on') return 'go on all the same';
  if (decision === 'stop') return 'stop';
  switch (decision.kind) {
    case 'approve':
      return 'override' in decision ? `approved although checks fail: ${decision.override}` : 'approved';
    case 'edit':
      return 'edited';
    case 'replan':
      return `another plan: ${decision.notes}`;
    case 'quit':
      return 'quit';
    case 'recheck':
      return 'checked again';
    case 'requeue':
      return `sent back: ${decision.notes}`;
    case 'pass':
      return `passed all the same: ${decision.override}`;
    case 'drop':
      return decision.reason === undefined ? 'dropped' : `dropped: ${decision.reason}`;
    case 'choose':
      return `attempt ${decision.attempt} chosen`;
    case 'suggest':
      return 'suggestions applied';
    case 'manual':
      return `judged by hand: ${decision.status}${decision.notes === '' ? '' : `, ${decision.notes}`}`;
    case 'reject':
      return `rejected${decision.tasks === undefined ? '' : ` (${decision.tasks.join(', ')})`}: ${decision.reason}`;
    case 'again':
    case 'undo':
      return 'a decision taken back';
    case 'raise':
      return `raised by ${decision.amount}`;
    case 'answer':
      return decision.answers.join('; ');
    case 'proceed':
      return 'left to the agent';
    case 'skip':
      return 'skipped';
    case 'continue':
    case 'retry':
    case 'stop':
      return decision.kind;
    default:
      return unreachable(decision);
  }
}
