import { askPersonToolName } from '../domain/agent-messages.ts';
import type { Config } from '../domain/config/config-schema.ts';
import { leadServerName } from '../domain/lead-tools.ts';
import type { Adapter, LaunchFile, PathsInsideCell } from '../domain/ports/adapter.ts';
import type { AgentRequest } from '../domain/ports/agent-port.ts';

/** Returns the variables that every agent CLI has. */
export function buildCellEnvironment(paths: PathsInsideCell): Record<string, string> {
  return {
    PATH: paths.searchPath,
    HOME: paths.home,
    TMPDIR: paths.tmp,
    LANG: 'C.UTF-8',
    // Some take zsh where there is one; the policy judges bash.
    SHELL: paths.shell,
  };
}

// Linux takes at most 128 kB in one argument.
export const maxArgumentBytes = 100_000;

/** Whether a prompt can be given as one argument. */
export function fitsInOneArgument(prompt: string): boolean {
  return Buffer.byteLength(prompt) <= maxArgumentBytes;
}

/** A first word with a slash would be taken for a command of the CLI, a dash for an option. */
export function avoidCommandInPrompt(prompt: string): string {
  return /^\s*[/\-!#@]/.test(prompt) || prompt.trim() === '' ? `Your task:\n${prompt}` : prompt;
}

/** Whether the model is offered the tool of its CLI that asks the person. */
export function isAskToolOffered({ ask, policy, isInteractive }: AgentRequest): boolean {
  return ask !== undefined && !isInteractive && !policy.blocked_tools.includes(askPersonToolName);
}

/** `superpowers` as resolveSuperpowers left it. */
export type AdapterConfig = Pick<Config, 'adapters' | 'superpowers'>;

/** What holds for most CLIs. */
export const usualCliFacts = {
  commits: 'agent',
  readsByShell: false,
  takesAccountShell: false,
  readsUnasked: [],
  canTalk: false,
  cannotLead: null,
  preparation: null,
  weaker: [],
  readTranscript: () => ({ answer: null, text: '', tokens: 0 }),
} as const satisfies Partial<Adapter>;

/** Whether an agent is offered a tool, by the name that policies have for it. */
export function isToolOffered({ policy, isReadOnly }: AgentRequest, tool: string): boolean {
  if (isReadOnly && (tool === 'Write' || tool === 'Edit')) return false;
  return policy.allowed_tools.includes(tool) && !policy.blocked_tools.includes(tool);
}

/** The file that names the server of our tools, in the form several CLIs read; none where there are no tools. */
export function buildLeadServerFile(
  { toolsCommand }: PathsInsideCell,
  { dir, path }: Pick<LaunchFile, 'dir' | 'path'>,
  settings: Readonly<Record<string, unknown>>,
): readonly LaunchFile[] {
  if (toolsCommand === null) return [];
  const [command, ...args] = toolsCommand;
  const servers = { [leadServerName]: { command, args, ...settings } };
  return [{ dir, path, content: `${JSON.stringify({ mcpServers: servers })}\n` }];
}

/** A TOML string: JSON's escapes are some of TOML's. */
export function tomlString(value: string): string {
  return JSON.stringify(value).replace(/\x7f/g, '\\u007f');
}
