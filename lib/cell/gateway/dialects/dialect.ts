import type { IncomingHttpHeaders } from 'node:http';
import type { TokenUsage } from '../../../domain/config/token-price.ts';
import type { ConversationCall, ConversationResult } from '../../../domain/ports/call-facts.ts';
import type { JsonRecord } from '../../../util/json.ts';
import { estimateMostTokens } from '../token-bound.ts';

/**
 * How one model API is spoken: what a request means, what its answers report, and how it says no. Facts and pure
 * functions; turns, budgets and relaying know none of this.
 */
export interface Dialect {
  /** Finds the endpoint of a path, without the route's prefix and its query; null: it isn't passed on. */
  find(method: string, path: string): ModelApiEndpoint | null;
  /** Parameters of an address that are passed on, by what they may say. */
  readonly parameters: Readonly<Record<string, RegExp>>;
  /** The headers of a request that are passed on, its credential left out. */
  passHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]>;
  /**
   * Why a request may not be sent, null where it may. The API would itself look at addresses, search the web, talk to
   * servers or ask other models: what a cell may not reach, it may not reach through the API either. `allowedTools`
   * are those of the agent's policy.
   */
  judge(request: JsonRecord, asked: Asking & { readonly allowedTools: readonly string[] }): RequestObjection | null;
  /** Reads the size of the answer that a request asks for. */
  size(request: JsonRecord): AnswerSize;
  /** The request as it is sent: it may write so many tokens, and its answer reports what it used. */
  prepare(request: JsonRecord, output: number): JsonRecord;
  /** Reads the part of a request that the model reads. */
  readPrompt(request: JsonRecord): PromptText;
  readonly usage: UsageReportFormat;
  /** Reads the conversation so far, for the ledger of calls. */
  readConversation(request: JsonRecord): ReportedConversation;
  /** The request with words of the person behind the result at that place of readConversation's, beside those of its turn. */
  insertText(request: JsonRecord, words: TextAfterResult): JsonRecord;
  /** Whether the model may call tools: the CLI's own side questions offer none. */
  offersTools(request: JsonRecord): boolean;
  /** The body of an answer that refuses, as the API itself does it. */
  refuse(status: number, message: string): JsonRecord;
  /** Builds the answer of a model that says this, complete enough for each client of the API. */
  answer(said: ScriptedMessage, request: JsonRecord, asked: Asking): ScriptedHttpResponse;
}

/** One way to ask the API. */
export interface ModelApiEndpoint {
  /** Whether it is paid for in tokens; counting them and listing models is free. */
  readonly isPaid: boolean;
  /** The model, where the address names it; null: the request does. */
  readonly model: string | null;
  /** Whether the answer comes as events, where the address decides that; null: the request does. */
  readonly isStreamed: boolean | null;
}

interface Asking {
  readonly endpoint: ModelApiEndpoint;
}

/** The reason why a request is not sent. */
export interface RequestObjection {
  readonly why: 'body' | 'field' | 'server-tool';
  readonly message: string;
}

export interface AnswerSize {
  /** Output tokens at most. */
  readonly output: number;
  /** Whether the output can't be seen as it comes: thoughts, or an answer in one piece. */
  readonly isHidden: boolean;
  /** Whether the API's cache must keep its entries for an hour, at a higher price. */
  readonly isHourly: boolean;
}

/** The parts of a request that the model reads. */
export interface PromptText {
  /** In the order the API caches it; the content of images is in it as a hash. */
  readonly text: string;
  /** Tokens of images and documents, beside the text. */
  readonly extra: number;
  /** Where it asks for the cache: everything before a mark is kept, and looked for. In order. */
  readonly marks: readonly PromptCacheMark[];
}

export interface PromptCacheMark {
  /** How much of the text is before it, and how many blocks. */
  readonly end: number;
  readonly block: number;
}

/** Where an answer reports what it used. */
export interface UsageReportFormat {
  /** Is in each event, and in each whole answer, that reports it. */
  readonly sign: string;
  /** Reads the counts in an event, or in a whole answer; counts grow, the largest of each counts. */
  read(value: JsonRecord): readonly ReportedUsage[];
  /** About how many tokens of answer are in a line of an event stream. */
  written(line: string): number;
}

export interface ReportedUsage {
  /** Named as in TokenUsage, its values not looked at: cached input apart from the rest, thoughts in the output. */
  readonly usage: JsonRecord | null;
  /** '' where it doesn't say. */
  readonly model: string;
}

/** `after`: which of the results of a conversation, from 0. */
export interface TextAfterResult {
  readonly after: number;
  readonly text: string;
}

/** The results of earlier calls as a request reports them. */
export interface ReportedConversation {
  readonly results: readonly ConversationResult[];
  /** Names of the tools the model may call by this request; absent: not known. */
  readonly offered?: ReadonlySet<string>;
}

/** The message of a scripted model. */
export interface ScriptedMessage {
  readonly text: string;
  /** Ids are for APIs that have some. */
  readonly calls: readonly (ConversationCall & { readonly id: string })[];
  readonly usage: TokenUsage;
}

export interface ScriptedHttpResponse {
  readonly contentType: string;
  readonly body: string;
}

/**
 * Makes UsageReportFormat.written for lines that hold a sign; `empty` is one that brings no text. Close enough, and nothing has
 * to be parsed.
 */
export function createLineEstimator(sign: string, empty: string): UsageReportFormat['written'] {
  const least = estimateMostTokens(empty);
  return (line) => (line.includes(sign) ? Math.max(0, estimateMostTokens(line) - least) : 0);
}

/** Events as they are sent to a client; a `type` is their name. */
export function renderEventStream(events: readonly JsonRecord[], end = ''): ScriptedHttpResponse {
  const lines = events.map((event) => {
    const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return { contentType: 'text/event-stream', body: lines.join('') + end };
}
