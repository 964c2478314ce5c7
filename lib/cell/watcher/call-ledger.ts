import type { Decision, ToolCall } from '../../domain/policy.ts';
import { isRecord, type JsonRecord } from '../../util/json-record.ts';

/** A tool call that ran although the watcher had not allowed it. */
type UnwatchedCall = Pick<ToolCall, 'tool_name' | 'tool_input'>;

/**
 * Checks what an agent reports to the model against what its watcher was asked: each result of a call must
 * belong to one that was allowed. So a hook that was switched off or killed in mid-run is found at the next
 * request.
 */
interface CallLedger {
  /** Notes a call as the hook reported it, and what was decided; `mark` must be in what it gives. */
  note(reported: unknown, decision: Decision, mark?: string): void;
  /** The calls whose results are new in this request to the Messages API; none where it isn't one. */
  findUnwatched(request: JsonRecord): readonly UnwatchedCall[];
}

export function createCallLedger(): CallLedger {
  const judged = new Map<string, Judged>();
  // Versions whose hooks don't name the call can't be checked this way. The first call shows it: a later one
  // may come from a program of the agent's.
  let isNamed: boolean | null = null;
  return {
    note(reported, { decision }, mark) {
      const id = isRecord(reported) ? reported.tool_use_id : null;
      isNamed ??= typeof id === 'string';
      // The client asks once for each call; asked again, the first answer stands.
      if (typeof id === 'string' && !judged.has(id)) judged.set(id, { decision, mark });
    },
    findUnwatched(request) {
      const blocks = readBlocks(request);
      const calls = new Map(blocks.filter(isCall).map((block) => [block.id, block]));
      return newResults(blocks)
        .filter((result) => isNamed !== false && !isAccounted(result, judged.get(`${result.tool_use_id}`)))
        .map(({ tool_use_id }) => describeCall(calls.get(tool_use_id)));
    },
  };
}

interface Judged {
  readonly decision: Decision['decision'];
  readonly mark: string | undefined;
}

interface Block extends JsonRecord {
  readonly role: unknown;
}

function readBlocks({ messages }: JsonRecord): readonly Block[] {
  if (!Array.isArray(messages)) return [];
  return messages.filter(isRecord).flatMap(({ role, content }) => {
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
    // What the model said last parts old results from new ones, also where it said it in plain text.
    return [{ role, type: 'message' }, ...blocks.filter(isRecord).map((block) => ({ ...block, role }))];
  });
}

function newResults(blocks: readonly Block[]): readonly Block[] {
  const lastSaid = blocks.findLastIndex(({ role }) => role === 'assistant');
  return blocks.slice(lastSaid + 1).filter(({ type }) => type === 'tool_result');
}

// What the client says of calls before any hook: unknown tools, input of the wrong shape, a person's interruption.
const neverRan = /^(?:<tool_use_error>|\[Request interrupted|The user doesn't want to )/;

function isAccounted(result: Block, judged: Judged | undefined): boolean {
  const text = textOf(result.content);
  const isRefused = result.is_error === true && neverRan.test(text);
  // A client that carried out the original call instead of the replaced one has run what must not run here.
  if (judged?.decision === 'allow')
    return judged.mark === undefined || text.includes(judged.mark) || isRefused;
  if (result.is_error !== true) return false;
  if (judged === undefined) return isRefused;
  // A blocked command that failed all the same was started.
  return !text.startsWith('Exit code');
}

function describeCall(block: Block | undefined): UnwatchedCall {
  return {
    tool_name: typeof block?.name === 'string' ? block.name : 'unknown',
    tool_input: isRecord(block?.input) ? block.input : {},
  };
}

function isCall({ type }: Block): boolean {
  return type === 'tool_use';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  return isRecord(first) && typeof first.text === 'string' ? first.text : '';
}
