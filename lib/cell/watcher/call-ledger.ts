import type { CallDecision, ToolCall } from '../../domain/agent-policy.ts';
import type { CallHookFacts, ConversationCall, ConversationResult } from '../../domain/ports/call-facts.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { isJsonRecord } from '../../util/json.ts';
import type { ReportedConversation } from '../gateway/dialects/dialect.ts';

/** A tool call that ran although the watcher had not allowed it. */
type UnwatchedCall = Pick<ToolCall, 'tool_name' | 'tool_input'>;

/**
 * Checks what an agent reports to the model against what its watcher was asked: each result of a call must
 * belong to one that was allowed. So a hook that was switched off or killed in mid-run is found at the next
 * request.
 */
interface CallLedger {
  /**
   * Notes a call as the hook reported it, and the decision. `mark`: a text that its result must hold, since no program
   * knew it before; each refusal has one.
   */
  note(call: ConversationCall, decision: CallDecision, mark?: string): void;
  /** The calls whose results are new in a conversation and that nothing allowed. */
  findUnwatched(conversation: Pick<ReportedConversation, 'results' | 'offered'>): readonly UnwatchedCall[];
  /**
   * Finds calls of tools that were not offered, where the CLI answered them itself and no hook reported them. `name`
   * distinguishes calls of the same kind.
   */
  findNotOffered(
    conversation: Pick<ReportedConversation, 'results' | 'offered'>,
  ): readonly (UnwatchedCall & { readonly name: string })[];
}

/** The facts of a CLI that it needs. */
type CliFacts = Pick<CallHookFacts, 'namesCalls' | 'repeatsCalls' | 'neverRan' | 'wasBlocked' | 'hidesPartOfCall'>;
type LedgerFacts = Omit<CliFacts, 'neverRan'> & { neverRan(result: ConversationResult): boolean };

interface Judged {
  readonly decision: CallDecision['decision'];
  readonly mark: string | undefined;
}

/** How often calls of one tool with one input were decided on, and the marks of those that were blocked. */
interface Kind {
  readonly allowed: number;
  readonly blocked: number;
  readonly marks: readonly string[];
}

/**
 * A result is held against the decision about its call where hook and API both name calls. Where one of them doesn't,
 * those of the same tool and input are counted: in a whole conversation no more of them may have run than were
 * allowed. A conversation that is sent again, or was shortened, is judged as the first time.
 */
export function createCallLedger(known: CliFacts): CallLedger {
  const judged = new Map<string, Judged>();
  const kinds = new Map<string, Kind>();
  return {
    note(call, { decision }, mark) {
      // The client asks once for each call; asked again, the first answer stands.
      for (const key of namesOf(call, known)) if (!judged.has(key)) judged.set(key, { decision, mark });
      kinds.set(kindOf(call), add(kinds.get(kindOf(call)) ?? none, decision, mark));
    },
    findUnwatched({ results, offered }) {
      const facts = withOffered(offered, known);
      const tallies = tallyUnnamed(results, kinds, facts);
      return results
        .filter(({ isNew }) => isNew)
        .filter((result) =>
          isNamed(result, facts)
            ? !isAccounted(result, judged.get(namesOf(result, facts)[0] ?? ''), facts)
            : !facts.neverRan(result) &&
              (facts.hidesPartOfCall(result) || isOver(tallies.get(kindOf(result)), kinds.get(kindOf(result)))),
        )
        .map(describeCall);
    },
    findNotOffered({ results, offered }) {
      return results
        .filter(({ name, isNew }) => isNew && name !== null && offered?.has(name) === false)
        .filter((call) => !kinds.has(kindOf(call)) && !namesOf(call, known).some((name) => judged.has(name)))
        .map((call) => ({ ...describeCall(call), name: `${call.id} ${kindOf(call)}` }));
    },
  };
}

/** With what a request offers: where that isn't known, any tool may have been. */
function withOffered(offered: ReadonlySet<string> | undefined, facts: CliFacts): LedgerFacts {
  const isOffered = ({ name }: ConversationResult): boolean => name === null || (offered?.has(name) ?? true);
  return { ...facts, neverRan: (result) => facts.neverRan(result, isOffered(result)) };
}

const none: Kind = { allowed: 0, blocked: 0, marks: [] };

/**
 * Returns the names a decision is kept under, the one to look for first. Where ids are simply counted, any program in
 * the cell could ask beforehand about the next one: then only a decision about the same input counts.
 */
function namesOf(
  call: ConversationCall | Pick<ConversationResult, 'id' | 'name' | 'input'>,
  facts: Pick<LedgerFacts, 'repeatsCalls'>,
): readonly string[] {
  if (call.id === null) return [];
  return facts.repeatsCalls && call.name !== null ? [`${call.id} ${kindOf(call)}`, call.id] : [call.id];
}

function kindOf({ name, input }: Pick<ConversationResult, 'name' | 'input'>): string {
  return canonicalDigest([name, input]);
}

function isNamed(
  result: ConversationResult,
  { namesCalls }: LedgerFacts,
): result is ConversationResult & { id: string } {
  return namesCalls && result.id !== null;
}

/** How often calls of each kind ran and were blocked, by what the conversation says. */
function tallyUnnamed(
  results: readonly ConversationResult[],
  decided: ReadonlyMap<string, Kind>,
  facts: LedgerFacts,
): ReadonlyMap<string, Kind> {
  const tallies = new Map<string, Kind>();
  for (const result of results) {
    if (isNamed(result, facts) || facts.neverRan(result)) continue;
    const key = kindOf(result);
    const isRefusal = facts.wasBlocked(result) && hasOneOf(decided.get(key), result.text);
    tallies.set(key, add(tallies.get(key) ?? none, isRefusal ? 'block' : 'allow'));
  }
  return tallies;
}

/** Decisions that gave no mark out can't ask for one. */
function hasOneOf({ marks, blocked }: Kind = none, text: string): boolean {
  return marks.length < blocked || marks.some((mark) => text.includes(mark));
}

function add({ allowed, blocked, marks }: Kind, decision: CallDecision['decision'], mark?: string): Kind {
  if (decision === 'allow') return { allowed: allowed + 1, blocked, marks };
  return { allowed, blocked: blocked + 1, marks: mark === undefined ? marks : [...marks, mark] };
}

function isOver(reported: Kind = none, decided: Kind = none): boolean {
  return reported.allowed > decided.allowed || reported.blocked > decided.blocked;
}

function isAccounted(result: ConversationResult, judged: Judged | undefined, facts: LedgerFacts): boolean {
  if (facts.neverRan(result)) return true;
  if (judged === undefined) return false;
  // A client that carried out the original call instead of the replaced one has run what must not run here; and what a
  // command prints may look like a refusal, but not like the one that was given.
  const isMarked = judged.mark === undefined || result.text.includes(judged.mark);
  return isMarked && (judged.decision === 'allow' ? !facts.hidesPartOfCall(result) : facts.wasBlocked(result));
}

function describeCall({ name, input }: ConversationResult): UnwatchedCall {
  return {
    tool_name: name ?? 'unknown',
    tool_input: isJsonRecord(input) ? input : typeof input === 'string' ? { command: input } : {},
  };
}
