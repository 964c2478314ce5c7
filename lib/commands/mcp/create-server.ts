import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { FlameError } from '../../domain/flame-error.ts';
import { refusal } from '../../engine/queen/refusals.ts';
import { formatCount } from '../../util/format-amount.ts';
import { isRecord } from '../../util/json-record.ts';
import { asFlameError, toFailure, toResult } from './answer.ts';
import { type Desk, tellInChat } from './desk.ts';
import { toldSchema } from './told-schema.ts';
import { type CallContext, isQuestion, type Tool } from './tool.ts';

declare const FLAME_VERSION: string;

interface Serving {
  readonly tools: readonly Tool[];
  /** Opens what the tools work on, when the first of them is called. */
  desk(): Promise<Desk>;
  /** Said to the person where there is no desk to say it at. */
  warn(line: string): void;
  readonly instructions: string;
}

/**
 * By these names clients say who they are that put both the text and the structured answer before their model, which would
 * pay twice. Others show one of the two, or both once where they are alike.
 */
const showBoth: ReadonlySet<string> = new Set(['copilot-cli']);

/** One MCP server over these tools; a connection has one of its own. */
export function createServer(serving: Serving): Server {
  const info = { name: 'flame', title: 'git flame', version: FLAME_VERSION };
  const server = new Server(info, { capabilities: { tools: {} }, instructions: serving.instructions });
  const tools = new Map<string, Tool>(serving.tools.map((tool) => [tool.name, tool]));
  const isStructured = (context: ServerContext): boolean => !showBoth.has(clientName(server, context));
  server.setRequestHandler('tools/list', (_, context) => ({
    tools: serving.tools.map((tool) => toListed(tool, isStructured(context))),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.get(params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${params.name.slice(0, 100)} not found`);
    return callTool(serving, tool, params.arguments ?? {}, {
      ...callContext(server, context),
      isStructured: isStructured(context),
    });
  });
  return server;
}

/** As clients are told it. Those that look tools up one by one would else not offer these to their model. */
function toListed({ name, description, input, output, annotations }: Tool, isStructured: boolean) {
  return {
    ...{ name, description, inputSchema: toldSchema(input, 'input') },
    ...(isStructured ? { outputSchema: toldSchema(output, 'output') } : {}),
    ...{ annotations, _meta: { 'anthropic/alwaysLoad': true } },
  };
}

async function callTool(
  { desk, warn }: Pick<Serving, 'desk' | 'warn'>,
  tool: Tool,
  words: unknown,
  call: CallContext & { readonly isStructured: boolean },
): Promise<CallToolResult | InputRequiredResult> {
  const given = tool.input.safeParse(words);
  let opened: Desk | null = null;
  const report = (error: FlameError | null): void => {
    const about = given.success ? tool.about(given.data) : '';
    if (opened === null) warn(`${tool.name}: ${error?.message ?? ''}`);
    else opened.note({ tool: tool.name, about, error });
  };
  try {
    if (!given.success) throw badInput(tool.name, given.error);
    opened = await desk();
    opened.begin();
    const answer = await tool.run(opened, given.data, call);
    report(null);
    return isQuestion(answer) ? toQuestion(answer.ask) : toResult(answer, call.isStructured);
  } catch (error) {
    const known = asFlameError(error);
    report(known);
    return toFailure(known, opened?.tellLead ?? tellInChat);
  }
}

function badInput(tool: string, { issues }: z.ZodError): FlameError {
  return refusal({
    code: 'bad-input',
    message: `${tool} can't take this: ${formatCount(issues.length, 'mistake')} in its input.`,
    details: issues.map(({ path, message }) => `${path.map(String).join('.') || 'input'}: ${message}`),
    next: `Mend that and call ${tool} again`,
  });
}

function clientName(server: Server, { mcpReq }: ServerContext): string {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const info = envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  return isRecord(info) && typeof info.name === 'string' ? info.name : '';
}

const decisionForm = z.object({
  decision: z.enum(['approve', 'not now']).describe('approve: agents may start on exactly this plan.'),
});

function toQuestion({ key, message }: { readonly key: string; readonly message: string }) {
  const elicit = inputRequired.elicit({ message, requestedSchema: decisionForm });
  return inputRequired({ inputRequests: { [key]: elicit } });
}

function callContext(server: Server, { mcpReq }: ServerContext): CallContext {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  return {
    signal: mcpReq.signal,
    said: (key) => {
      const answer = mcpReq.inputResponses?.[key];
      if (!isRecord(answer)) return undefined;
      const content = isRecord(answer.content) ? answer.content : {};
      return answer.action === 'accept' ? content.decision : null;
    },
    hasForms: hasForms(envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()),
  };
}

function hasForms(capabilities: unknown): boolean {
  return isRecord(capabilities) && isRecord(capabilities.elicitation);
}
