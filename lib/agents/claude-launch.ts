import { join } from 'node:path';
import { askPersonToolName } from '../domain/agent-messages.ts';
import { isLeadTool, leadCallTimeoutMs, leadServerName } from '../domain/lead-tools.ts';
import type { AgentLaunch, LaunchFile, PathsInsideCell } from '../domain/ports/adapter.ts';
import type { AgentRequest } from '../domain/ports/agent-port.ts';
import { wrapCallHookCommand } from './cli-hooks.ts';
import {
  avoidCommandInPrompt,
  buildCellEnvironment,
  buildLeadServerFile,
  fitsInOneArgument,
  isAskToolOffered,
  maxArgumentBytes,
} from './launch-settings.ts';

const settingsName = 'settings.json';
const toolsName = 'mcp.json';
/** How Claude Code is started; `plugin` is the folder of the Superpowers plugin, null for none. */
export function buildClaudeLaunch(request: AgentRequest, paths: PathsInsideCell, plugin: string | null): AgentLaunch {
  const prompt = avoidCommandInPrompt(request.prompt);
  const common = { env: environment(paths), options: commonOptions(request, paths, plugin) };
  const launch = request.isInteractive ? launchInteractive : launchPrint;
  return {
    ...launch({ ...common, request, paths, prompt }),
    ...(plugin === null ? {} : { reads: [plugin] }),
  };
}

interface Parts {
  readonly request: AgentRequest;
  readonly paths: PathsInsideCell;
  readonly prompt: string;
  readonly env: Readonly<Record<string, string>>;
  readonly options: readonly string[];
}

function launchPrint({ request, paths, prompt, env, options }: Parts): AgentLaunch {
  const fits = fitsInOneArgument(prompt);
  const server = { timeout: leadCallTimeoutMs, alwaysLoad: true };
  return {
    // The prompt stands first: an option that takes a list would swallow it.
    argv: [...paths.command, '--print', ...(fits ? [prompt] : []), ...printOptions(request), ...options],
    env,
    files: [settingsFile(paths), ...buildLeadServerFile(paths, { dir: 'control', path: toolsName }, server)],
    // With both, the CLI would append one to the other.
    stdin: fits ? null : prompt,
    transcript: null,
  };
}

function launchInteractive({ request, paths, prompt, env, options }: Parts): AgentLaunch {
  const named = request.conversation === undefined ? [] : ['--session-id', request.conversation];
  return {
    argv: [...paths.command, cutBytes(prompt, maxArgumentBytes), ...named, ...options],
    env: { ...env, TERM: 'xterm-256color', CLAUDE_CODE_DISABLE_TERMINAL_TITLE: '1' },
    files: [settingsFile(paths), firstRunFile(request, paths)],
    stdin: null,
    transcript: request.conversation === undefined ? null : transcriptPath(request, request.conversation),
  };
}

/** Where the CLI keeps a conversation, relative to HOME: letters and digits of the folder stay, the rest is `-`. */
function transcriptPath(request: AgentRequest, conversation: string): string {
  const folder = request.worktree.path.replace(/[^A-Za-z0-9]/g, '-');
  return join('.claude', 'projects', folder, `${conversation}.jsonl`);
}

function printOptions(request: AgentRequest): string[] {
  const { unit, limit } = request.budget;
  return [
    '--output-format',
    'stream-json',
    '--verbose',
    '--include-partial-messages',
    '--include-hook-events',
    '--no-session-persistence',
    ...(request.answerSchema === null ? [] : ['--json-schema', JSON.stringify(request.answerSchema)]),
    // 0 is refused by the CLI, and means unlimited here.
    ...(unit === 'usd' && limit > 0 ? ['--max-budget-usd', decimal(limit)] : []),
  ];
}

function commonOptions(request: AgentRequest, paths: PathsInsideCell, plugin: string | null): string[] {
  const { blocked_tools } = request.policy;
  const tools = offeredTools(request, plugin);
  // Calls that the watcher judges need no second permission; writing is allowed by mode, which ends at the worktree.
  const own = paths.toolsCommand === null ? [] : [`mcp__${leadServerName}`];
  const allowed = [...tools.filter((tool) => tool === 'Bash' || tool === 'Skill'), ...own];
  return [
    '--model',
    request.model,
    '--system-prompt',
    request.systemPrompt,
    // Nothing the repository or the home folder says about hooks, permissions, servers or base URLs.
    '--setting-sources',
    '',
    '--strict-mcp-config',
    '--settings',
    join(paths.controlDir, settingsName),
    '--permission-mode',
    request.isReadOnly ? 'default' : 'acceptEdits',
    '--tools',
    tools.join(','),
    // Without a terminal this option alone makes it offer the tool; its other questions there have no effect.
    ...(isAskToolOffered(request) ? ['--permission-prompt-tool', 'stdio'] : []),
    ...(paths.toolsCommand === null ? [] : ['--mcp-config', join(paths.controlDir, toolsName)]),
    ...(allowed.length === 0 ? [] : ['--allowed-tools', allowed.join(',')]),
    ...(blocked_tools.length === 0 ? [] : ['--disallowed-tools', blocked_tools.join(',')]),
    ...(plugin === null ? [] : ['--plugin-dir', plugin]),
  ];
}

/** The CLI offers its own list, with schedulers and sub-agents in it, unless given an exact one. */
function offeredTools(request: AgentRequest, plugin: string | null): string[] {
  const { allowed_tools, blocked_tools } = request.policy;
  const wanted = [
    ...allowed_tools.filter((tool) => tool !== askPersonToolName),
    ...(plugin === null ? [] : ['Skill']),
    ...(isAskToolOffered(request) ? [askPersonToolName] : []),
  ];
  // The tool for answers comes with the schema, by itself.
  return [...new Set(wanted)].filter(
    (tool) => !blocked_tools.includes(tool) && tool !== 'StructuredOutput' && !isLeadTool(tool),
  );
}

function settingsFile(paths: PathsInsideCell): LaunchFile {
  const settings = {
    // Said here, so that no other file can say the opposite.
    disableAllHooks: false,
    hooks: {
      ...(paths.canaryCommand === null
        ? {}
        : { SessionStart: [{ hooks: [{ type: 'command', command: paths.canaryCommand, timeout: 10 }] }] }),
      ...(paths.hookCommand === null ? {} : { PreToolUse: [{ matcher: '*', hooks: [watcher(paths.hookCommand)] }] }),
      // It protects nothing: when it fails, the agent ends.
      ...(paths.endCommand === null
        ? {}
        : { Stop: [{ hooks: [{ type: 'command', command: paths.endCommand, timeout: longestHook }] }] }),
    },
  };
  return { dir: 'control', path: settingsName, content: `${JSON.stringify(settings, null, 2)}\n` };
}

// A hook that is out of time lets its call through, and a process of the agent's could stop it. It ends by itself in
// seconds, or not before the agent does.
const longestHook = 1_000_000;

/** The command ends by itself in seconds; newer versions block on any failure by onFailure. Time-out in seconds. */
function watcher(command: string): Readonly<Record<string, unknown>> {
  return {
    type: 'command',
    command: wrapCallHookCommand(command),
    timeout: longestHook,
    onFailure: 'block',
  };
}

function environment(paths: PathsInsideCell): Record<string, string> {
  return {
    ...buildCellEnvironment(paths),
    CLAUDE_CODE_SHELL: paths.shell,
    // The gateway puts the real one in its place.
    ANTHROPIC_API_KEY: paths.apiKey,
    ...(paths.baseUrl === null ? {} : { ANTHROPIC_BASE_URL: paths.baseUrl }),
    // It would begin without the tools of a server that is a second late.
    ...(paths.toolsCommand === null ? {} : { MCP_CONNECTION_NONBLOCKING: '0' }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    // Else `@path` anywhere in the prompt is read into it, and no hook is asked.
    CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: '1',
    // Claude's built-in git instructions contradict ours on when, where and how to commit.
    CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: '1',
    // Model ids go out as they are written.
    CLAUDE_CODE_DISABLE_LEGACY_MODEL_REMAP: '1',
    // Its default is ten, three minutes of waiting; the orchestrator backs off by itself.
    CLAUDE_CODE_MAX_RETRIES: '2',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
  };
}

/** Without it a new home folder means onboarding, which asks a host on the network and gives up offline. */
function firstRunFile(request: AgentRequest, { apiKey }: PathsInsideCell): LaunchFile {
  const state = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    // Keys are remembered by their last 20 characters.
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
    projects: {
      [request.worktree.path]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true },
    },
  };
  return { dir: 'home', path: '.claude.json', content: `${JSON.stringify(state, null, 2)}\n` };
}

/** Never in exponent form. */
function decimal(amount: number): string {
  return Math.max(amount, 0.000001)
    .toFixed(6)
    .replace(/\.?0+$/, '');
}

/** Cut at a character. */
function cutBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text;
  const cut = Buffer.from(text).subarray(0, max).toString();
  return cut.replace(/\ufffd+$/, '');
}
