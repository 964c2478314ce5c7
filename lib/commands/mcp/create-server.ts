import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { FlameError } from '../../domain/flame-error.ts';
import { isRecord } from '../../util/json-record.ts';
import { asFlameError, toFailure, toResult } from './answer.ts';
import { type Desk, tellInChat } from './desk.ts';
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

/** One MCP server over these tools; a connection has one of its own. */
export function createServer({ tools, desk, warn, instructions }: Serving): McpServer {
  const info = { name: 'flame', title: 'git flame', version: FLAME_VERSION };
  const server = new McpServer(info, { capabilities: { tools: {} }, instructions });
  for (const tool of tools) {
    const { description, input, annotations } = tool;
    // Clients that look tools up one by one would else not offer these to their model.
    const _meta = { 'anthropic/alwaysLoad': true };
    const run = async (words: unknown, context: ServerContext) => {
      const given = input.parse(words);
      let opened: Desk | null = null;
      const report = (error: FlameError | null): void => {
        const told = { tool: tool.name, about: tool.about(given), error };
        if (opened === null) warn(`${tool.name}: ${error?.message ?? ''}`);
        else opened.note(told);
      };
      try {
        opened = await desk();
        opened.begin();
        const answer = await tool.run(opened, given, callContext(server, context));
        report(null);
        return isQuestion(answer) ? toQuestion(answer.ask) : toResult(answer);
      } catch (error) {
        const known = asFlameError(error);
        report(known);
        return toFailure(known, opened?.tellLead ?? tellInChat);
      }
    };
    server.registerTool(tool.name, { description, inputSchema: input, annotations, _meta }, run);
  }
  return server;
}

const decisionForm = z.object({
  decision: z.enum(['approve', 'not now']).describe('approve: agents may start on exactly this plan.'),
});

function toQuestion({ key, message }: { readonly key: string; readonly message: string }) {
  const elicit = inputRequired.elicit({ message, requestedSchema: decisionForm });
  return inputRequired({ inputRequests: { [key]: elicit } });
}

function callContext(server: McpServer, { mcpReq }: ServerContext): CallContext {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  return {
    signal: mcpReq.signal,
    said: (key) => {
      const answer = mcpReq.inputResponses?.[key];
      if (!isRecord(answer)) return undefined;
      const content = isRecord(answer.content) ? answer.content : {};
      return answer.action === 'accept' ? content.decision : null;
    },
    hasForms: hasForms(envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities()),
  };
}

function hasForms(capabilities: unknown): boolean {
  return isRecord(capabilities) && isRecord(capabilities.elicitation);
}
