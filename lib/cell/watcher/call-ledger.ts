import type { ToldCall, ToldResult } from '../../domain/conversation.ts';
import type { Decision, ToolCall } from '../../domain/policy.ts';
import type { CallFacts } from '../../domain/ports/adapter.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { isRecord } from '../../util/json-record.ts';
import type { Conversation } from '../gateway/dialects/dialect.ts';

/** A tool call that ran although the watcher had not allowed it. */
type UnwatchedCall = Pick<ToolCall, 'tool_name' | 'tool_input'>;

/**
 * Checks what an agent reports to the model against what its watcher was asked: each result of a call must
 * belong to one that was allowed. So a hook that was switched off or killed in mid-run is found at the next
 * request.
 */
interface CallLedger {
  /** Notes a call as the hook reported it, and what was decided; `mark` must be in what it gives. */
  note(call: ToldCall, decision: Decision, mark?: string): void;
  /** The calls whose results are new in a conversation and that nothing allowed. */
  findUnwatched(told: Pick<Conversation, 'results'>): readonly UnwatchedCall[];
}

/** What it must know of a CLI. */
type LedgerFacts = Pick<CallFacts, 'namesCalls' | 'neverRan' | 'wasBlocked' | 'hides'>;

interface Judged {
  readonly decision: Decision['decision'];
  readonly mark: string | undefined;
}

/** How often calls of one tool with one input were decided on. */
interface Kind {
  readonly allowed: number;
  readonly blocked: number;
}

/**
 * A result is held against the decision about its call where hook and API both name calls. Where one of them doesn't,
 * those of the same tool and input are counted: in a whole conversation no more of them may have run than were
 * allowed. A conversation that is sent again, or was shortened, is judged as the first time.
 */
export function createCallLedger(facts: LedgerFacts): CallLedger {
  const judged = new Map<string, Judged>();
  const kinds = new Map<string, Kind>();
  return {
    note(call, { decision }, mark) {
      // The client asks once for each call; asked again, the first answer stands.
      if (call.id !== null && !judged.has(call.id)) judged.set(call.id, { decision, mark });
      kinds.set(kindOf(call), add(kinds.get(kindOf(call)) ?? none, decision));
    },
    findUnwatched({ results }) {
      const tallies = tallyUnnamed(results, facts);
      return results
        .filter(({ isNew }) => isNew)
        .filter((result) =>
          isNamed(result, facts)
            ? !isAccounted(result, judged.get(result.id), facts)
            : !facts.neverRan(result) &&
              (facts.hides(result) || isOver(tallies.get(kindOf(result)), kinds.get(kindOf(result)))),
        )
        .map(describeCall);
    },
  };
}

const none: Kind = { allowed: 0, blocked: 0 };

function kindOf({ name, input }: Pick<ToldResult, 'name' | 'input'>): string {
  return canonicalDigest([name, input]);
}

function isNamed(result: ToldResult, { namesCalls }: LedgerFacts): result is ToldResult & { id: string } {
  return namesCalls && result.id !== null;
}

/** How often calls of each kind ran and were blocked, by what the conversation says. */
function tallyUnnamed(results: readonly ToldResult[], facts: LedgerFacts): ReadonlyMap<string, Kind> {
  const tallies = new Map<string, Kind>();
  for (const result of results) {
    if (isNamed(result, facts) || facts.neverRan(result)) continue;
    const key = kindOf(result);
    tallies.set(key, add(tallies.get(key) ?? none, facts.wasBlocked(result) ? 'block' : 'allow'));
  }
  return tallies;
}

function add({ allowed, blocked }: Kind, decision: Decision['decision']): Kind {
  return decision === 'allow' ? { allowed: allowed + 1, blocked } : { allowed, blocked: blocked + 1 };
}

function isOver(told: Kind = none, decided: Kind = none): boolean {
  return told.allowed > decided.allowed || told.blocked > decided.blocked;
}

function isAccounted(result: ToldResult, judged: Judged | undefined, facts: LedgerFacts): boolean {
  if (facts.neverRan(result)) return true;
  // A client that carried out the original call instead of the replaced one has run what must not run here.
  if (judged?.decision === 'allow')
    return !facts.hides(result) && (judged.mark === undefined || result.text.includes(judged.mark));
  return judged?.decision === 'block' && facts.wasBlocked(result);
}

function describeCall({ name, input }: ToldResult): UnwatchedCall {
  return {
    tool_name: name ?? 'unknown',
    tool_input: isRecord(input) ? input : typeof input === 'string' ? { command: input } : {},
  };
}
