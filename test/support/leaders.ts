import type { DialectName } from '../../lib/domain/config/known-clis.ts';
import type { ConversationCall } from '../../lib/domain/ports/call-facts.ts';

/** How a CLI leads: what its model is, and what it calls our tools. */
export interface Leader {
  readonly model: string;
  readonly dialect: DialectName;
  /** What the CLI calls our tools, before their names. */
  readonly prefix: string;
  /** How the CLI's own tools are called that would write a file, and one that nobody has. */
  readonly forbidden: readonly Omit<ConversationCall, 'id'>[];
}

const nobodys = { name: 'land_it_all', input: { now: true } };

export const leaders: Readonly<Record<string, Leader>> = {
  claude: {
    ...{ model: 'claude-sonnet-4-5', dialect: 'anthropic', prefix: 'mcp__flame__' },
    forbidden: [{ name: 'Write', input: { file_path: 'hers.txt', content: 'x' } }, nobodys],
  },
  codex: {
    ...{ model: 'gpt-5.5', dialect: 'responses', prefix: 'mcp__flame__' },
    forbidden: [{ name: 'exec_command', input: { cmd: 'touch hers.txt' } }, nobodys],
  },
  kimi: {
    ...{ model: 'kimi-k2.6', dialect: 'chat', prefix: 'mcp__flame__' },
    forbidden: [
      { name: 'Write', input: { path: 'hers.txt', content: 'x' } },
      { name: 'Bash', input: { command: 'touch hers.txt' } },
      nobodys,
    ],
  },
  gemini: {
    ...{ model: 'gemini-2.5-pro', dialect: 'gemini', prefix: 'mcp_flame_' },
    forbidden: [
      { name: 'write_file', input: { file_path: 'hers.txt', content: 'x' } },
      { name: 'run_shell_command', input: { command: 'touch hers.txt' } },
      nobodys,
    ],
  },
  opencode: {
    ...{ model: 'openai/gpt-5.5', dialect: 'responses', prefix: 'flame_' },
    forbidden: [
      { name: 'write', input: { filePath: 'hers.txt', content: 'x' } },
      { name: 'bash', input: { command: 'touch hers.txt', description: 'Touch' } },
      nobodys,
    ],
  },
  copilot: {
    ...{ model: 'gpt-5.5', dialect: 'responses', prefix: 'flame-' },
    forbidden: [{ name: 'bash', input: { command: 'touch hers.txt', description: 'Touch' } }, nobodys],
  },
};
