import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as assert from 'uvu/assert';
import { toolOutputSchemas } from '../../lib/commands/mcp/tool-outputs.ts';
import { leadTools } from '../../lib/domain/lead-tools.ts';
import { programFolder } from './program.ts';
import type { TestRepo } from './repo.ts';

/** A chat's client, as the official SDK makes it, and the server it started. */
export interface ChatClient {
  readonly client: Client;
  /** Calls a tool; what it says, parsed. */
  call(name: string, words?: Readonly<Record<string, unknown>>): Promise<Said>;
  readonly pid: number;
  /** What the server told the person. */
  stderr(): string;
  close(): Promise<void>;
}

export interface Said {
  readonly isError: boolean;
  /** What was said, as text. */
  readonly text: string;
  /** The same as a client's program reads it; undefined: not at all. */
  readonly structured: unknown;
  /** The value at a path of it, `tasks.0.id`. */
  at(path: string): unknown;
}

interface ChatOptions {
  /** The revision before the current one. */
  readonly isOld?: boolean;
  /** What the person does with a form, by its text; absent: the client shows none. */
  readonly form?: (message: string) => 'accept' | 'decline' | 'cancel';
  readonly args?: readonly string[];
}

const opened: ChatClient[] = [];

/** To be called once a file's tests are over. */
export async function closeChats(): Promise<void> {
  await Promise.all(opened.splice(0).map((chat) => chat.close()));
}

/** Starts `git flame mcp` as a chat does, and connects to it. */
export async function openChat(repo: TestRepo, options: ChatOptions = {}): Promise<ChatClient> {
  const { isOld = false, form, args = [] } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(programFolder, 'git-flame'), 'mcp', ...args],
    cwd: repo.path,
    env: { ...repo.env },
    stderr: 'pipe',
    maxBufferSize: 64 * 1024 * 1024,
  });
  let told = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  const capabilities = form === undefined ? {} : { elicitation: { form: {} } };
  const mode = isOld ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'chat', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (form !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const action = form(params.message);
      return action === 'accept' ? { action, content: { decision: 'approve' } } : { action };
    });
  await client.connect(transport);
  const chat: ChatClient = {
    client,
    call: async (name, words = {}) => {
      const said = toSaid(await client.callTool({ name, arguments: { ...words } }));
      requireAsTold(name, said);
      return said;
    },
    pid: transport.pid ?? 0,
    stderr: () => told,
    close: () => client.close(),
  };
  opened.push(chat);
  return chat;
}

/** What is said in words is said as structured content too, as the tool's schema has it and nothing beside. */
function requireAsTold(name: string, { isError, text, structured }: Said): void {
  const tool = leadTools.find((one) => one === name);
  if (isError || tool === undefined) return;
  assert.equal(toolOutputSchemas[tool].parse(structured), structured, name);
  assert.equal(JSON.parse(text), structured, name);
}

/** What a tool said, whoever asked it. */
export function toSaid(result: {
  readonly content: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}): Said {
  const [block]: unknown[] = Array.isArray(result.content) ? result.content : [];
  const text = isObject(block) && typeof block.text === 'string' ? block.text : '';
  return {
    isError: result.isError === true,
    text,
    structured: result.structuredContent,
    at: (path) =>
      path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), parse(text)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
