import type { JsonRecord } from '../../util/json.ts';
import type { AgentQuestion } from '../agent-messages.ts';
import type { ToolCall } from '../agent-policy.ts';

/** What a CLI's hook at its end reports and reads. Pure; a hook that fails lets the agent end. */
export interface EndHookFacts {
  /** The agent's last message, '' where it is not reported. */
  parseLastMessage(reported: unknown): string;
  /** What the hook prints so that the agent goes on, and its model reads this. */
  renderContinue(reason: string): string;
}

/** What a CLI's hook reports of tool calls, and what the CLI answers to its model for those that did not run. Pure. */
export interface CallHookFacts {
  /** Parses a hook's report; null where it is no call that can be judged. */
  read(reported: unknown): ReportedCall | null;
  /** Whether its hook knows a call by the id it has in the conversation; else calls are known by name and input. */
  readonly namesCalls: boolean;
  /** Whether its hook reports a call's name and input exactly as the model gave them. */
  readonly repeatsCalls: boolean;
  /**
   * Whether the CLI refused the call before it would ask any hook (an unknown tool, input of the wrong form), or it is
   * one that does nothing and asks none. What a command prints can't be taken for that; `isOffered` false: the CLI has
   * no tool of that name for its model, so that there is nothing which could have printed it.
   */
  neverRan(result: ConversationResult, isOffered?: boolean): boolean;
  /** Whether the result is that of a call which the hook blocked; what a tool prints can't be taken for it. */
  wasBlocked(result: ConversationResult): boolean;
  /** Whether the call asked for more than its hook reports: the judged call is not the one that ran. */
  hidesPartOfCall(call: Pick<ConversationResult, 'name' | 'input'>): boolean;
  /** What the hook prints to run another command instead; null: it can't. */
  replace(reported: unknown, command: string, why: string): string | null;
  /** How its model asks the person in a run without a terminal; null: it can't. */
  readonly asks: AskToolFacts | null;
  /** The call a scripted model makes to write a file at an absolute path. */
  canaryCall(path: string): Omit<ConversationCall, 'id'>;
}

/** A tool of a CLI by which its model asks the person. Its hook holds the call, and gives the answer back. Pure. */
export interface AskToolFacts {
  /** The tool, as its model calls it. */
  readonly tool: string;
  /** How long its hook may hold a call, in milliseconds. */
  readonly longestMs: number;
  /** What the hook prints so that the answers are the tool's result; null: they are the reason of a block. */
  answer(reported: unknown, questions: readonly AgentQuestion[], answers: readonly string[]): string | null;
}

/** A tool call as the ledger finds it again in the conversation, and as the policy judges it. */
export interface ReportedCall extends ConversationCall {
  /** In the tools the policy knows: all of them must be allowed. */
  readonly does: readonly [ToolCall, ...ToolCall[]];
}

/** A tool call as the model made it, in the form of any API. */
export interface ConversationCall {
  /** null: the API has none for it. */
  readonly id: string | null;
  readonly name: string;
  /** Text of a tool that takes no JSON, and where the JSON is broken. */
  readonly input: JsonRecord | string;
}

/** The result of a call as a client sent it to a model. */
export interface ConversationResult {
  readonly id: string | null;
  /** null: the call isn't in the conversation any more. */
  readonly name: string | null;
  /** Its input; null as the name. */
  readonly input: JsonRecord | string | null;
  readonly text: string;
  /** false also where the API doesn't report errors. */
  readonly isError: boolean;
  /** It may be here for the first time: the model has not answered to it. */
  readonly isNew: boolean;
}
