import type { ToldResult } from '../../domain/conversation.ts';
import type { Decision, ToolCall } from '../../domain/policy.ts';
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
  note(reported: unknown, decision: Decision, mark?: string): void;
  /** The calls whose results are new in what a request tells, and that were not allowed. */
  findUnwatched(conversation: Conversation): readonly UnwatchedCall[];
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
    findUnwatched({ results }) {
      return results
        .filter(
          (result) => result.isNew && isNamed !== false && !isAccounted(result, judged.get(`${result.id}`)),
        )
        .map(({ name, input }) => ({
          tool_name: name ?? 'unknown',
          tool_input: isRecord(input) ? input : {},
        }));
    },
  };
}

interface Judged {
  readonly decision: Decision['decision'];
  readonly mark: string | undefined;
}

// What the client says of calls before any hook: unknown tools, input of the wrong shape, a person's interruption.
const neverRan = /^(?:<tool_use_error>|\[Request interrupted|The user doesn't want to )/;

function isAccounted({ text, isError }: ToldResult, judged: Judged | undefined): boolean {
  const isRefused = isError && neverRan.test(text);
  // A client that carried out the original call instead of the replaced one has run what must not run here.
  if (judged?.decision === 'allow')
    return judged.mark === undefined || text.includes(judged.mark) || isRefused;
  if (!isError) return false;
  if (judged === undefined) return isRefused;
  // A blocked command that failed all the same was started.
  return !text.startsWith('Exit code');
}
