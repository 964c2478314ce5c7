import type { IncomingHttpHeaders } from 'node:http';

export interface ToolResult {
  readonly id: string;
  /** Name of the tool that was called. */
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
}

/** A Messages request, as a script wants to see it. */
export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  /** The first text a person (or the tool) wrote in this conversation: the task's prompt. */
  readonly prompt: string;
  /** The last such text. */
  readonly lastText: string;
  /** Results of all calls in this conversation, in order. */
  readonly toolResults: readonly ToolResult[];
  /** Names of the tools on offer. */
  readonly tools: readonly string[];
  /** 1 for the first request of a conversation. */
  readonly turn: number;
  readonly isStreaming: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly Block[];
}

interface MessagesBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: string | readonly Block[];
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

export function readModelRequest(body: unknown, headers: IncomingHttpHeaders): ModelRequest {
  const { model, stream, system, tools, messages } = body as MessagesBody;
  const blocks = messages.flatMap(({ role, content }) => toBlocks(content).map((block) => ({ ...block, role })));
  const texts = blocks
    .filter(({ role, type }) => role === 'user' && type === 'text')
    .map(({ text }) => text ?? '')
    // What the CLI adds by itself; what a hook says comes in the same way since 2.1.332.
    .filter((text) => !text.startsWith('<system-reminder>') || text.includes('\nStop hook feedback:\n'));
  const names = new Map(blocks.filter(({ type }) => type === 'tool_use').map(({ id, name }) => [id, name]));
  return {
    model,
    system: toText(system ?? ''),
    prompt: texts[0] ?? '',
    lastText: texts.at(-1) ?? '',
    toolResults: blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({
        id: block.tool_use_id ?? '',
        tool: names.get(block.tool_use_id) ?? '',
        text: toText(block.content ?? ''),
        isError: block.is_error === true,
      })),
    tools: (tools ?? []).map(({ name }) => name),
    turn: messages.filter(({ role }) => role === 'assistant').length + 1,
    isStreaming: stream === true,
    headers,
    body,
  };
}

function toBlocks(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function toText(content: string | readonly Block[]): string {
  return toBlocks(content)
    .map(({ text }) => text ?? '')
    .join('\n');
}
