import type { AgentEnd, AgentResultParts, StreamReader } from '../domain/ports/adapter.ts';
import type { AgentActivity, AgentRequest } from '../domain/ports/agent-port.ts';
import { type JsonRecord, parseJsonRecord } from '../util/json.ts';
import { findJsonBySchema } from './answer-from-text.ts';
import { createLineSplitter, shortenToPrintableLine } from './event-fields.ts';
import { findRunFailure, type ReportedError } from './find-run-failure.ts';

/** What the events of a run have shown so far. */
export interface SeenRun {
  /** Its first event came. */
  hasBegun: boolean;
  /** How often it reported its end. */
  endCount: number;
  /** Its last words. */
  text: string;
  /** The last message of its error channel. */
  error: ReportedError | null;
  /** Totals, as far as the CLI reports them; the gateway counts by itself. */
  tokens: number;
  cost_usd: number;
}

/** The events of a CLI, and what its last message and the end of its process mean. */
interface EventFormat {
  /**
   * Notes an event, and returns what the agent does by it, `> ` before a call: '' where only counts moved, null where
   * there is nothing to show. `line`: the event as it came; one that is no JSON is an event without fields.
   */
  take(seen: SeenRun, event: JsonRecord, line: string): string | null;
  /** Completes what was seen, and returns the end to judge the run by; absent: as they are. */
  conclude?(seen: SeenRun, end: AgentEnd): AgentEnd;
  /** Reads the answer out of what was found in the last words; absent: as it is. */
  readAnswer?(found: unknown): unknown;
}

/** Follows the output of a CLI that prints one JSON event a line. */
export function createEventReader(request: AgentRequest, format: EventFormat): StreamReader {
  const lines = createLineSplitter();
  const seen: SeenRun = { hasBegun: false, endCount: 0, text: '', error: null, tokens: 0, cost_usd: 0 };
  const read = (complete: readonly string[]): AgentActivity[] =>
    complete
      .map((line) => format.take(seen, parseJsonRecord(line), line))
      .filter((text) => text !== null)
      .map((text) => ({
        text: shortenToPrintableLine(text.replace(/^> /, '')),
        tokens: seen.tokens,
        cost_usd: seen.cost_usd,
      }));
  return {
    push: (chunk) => read(lines.push(chunk)),
    finish: (given): AgentResultParts => {
      read(lines.rest());
      const end = format.conclude?.(seen, given) ?? given;
      const { text, tokens, cost_usd } = seen;
      const answer = seen.endCount > 1 ? null : readAnswer(request, seen, format);
      return {
        failure: findRunFailure({ ...seen, request, end, answer }),
        answer,
        text,
        tokens,
        cost_usd,
        warnings: [],
      };
    },
  };
}

function readAnswer({ answerSchema }: AgentRequest, { text }: SeenRun, format: EventFormat): unknown {
  const found = answerSchema === null ? null : findJsonBySchema(text, answerSchema);
  return found === null ? null : (format.readAnswer?.(found) ?? found);
}
