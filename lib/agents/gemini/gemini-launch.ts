import { dirname, join } from 'node:path';
import { leadCallTimeoutMs, leadServerName, leadTools } from '../../domain/lead-tools.ts';
import type { AgentLaunch, LaunchFile, PathsInsideCell } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { renderAnswerInstructions } from '../answer-from-text.ts';
import { wrapCallHookCommand, wrapEndHookCommand } from '../cli-hooks.ts';
import { avoidCommandInPrompt, buildCellEnvironment, fitsInOneArgument, isToolOffered } from '../launch-settings.ts';
import { geminiLeadToolPrefix, offeredGeminiTools } from './gemini-calls.ts';

const systemName = 'system.md';
// In milliseconds; from 2^31 on a hook is out of time at once, and lets its call through.
const longestHook = 2_000_000_000;

/**
 * How the Gemini CLI is started: by settings in its own home, which it reads once. Its folder has to be trusted, or it
 * would run no tool unasked: what the repository has for it is shown empty to its agents.
 */
export function buildGeminiLaunch(request: AgentRequest, paths: PathsInsideCell): AgentLaunch {
  // `@path` would be read into the prompt, and no hook asked.
  const prompt = avoidCommandInPrompt(request.prompt).replaceAll('@', '\\@');
  const fits = fitsInOneArgument(prompt);
  return {
    argv: [
      ...paths.command,
      '--output-format',
      'stream-json',
      '--approval-mode',
      'yolo',
      '--skip-trust',
      ...['--model', request.model],
      ...(fits ? ['--prompt', prompt] : []),
    ],
    env: {
      ...buildCellEnvironment(paths),
      // It runs `bash` as PATH has it.
      PATH: `${dirname(paths.shell)}:${paths.searchPath}`,
      GEMINI_API_KEY: paths.apiKey,
      GOOGLE_GEMINI_BASE_URL: `${paths.baseUrl ?? ''}/google`,
      GEMINI_SYSTEM_MD: join(paths.controlDir, systemName),
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
    },
    files: [{ dir: 'control', path: systemName, content: systemPrompt(request) }, settingsFile(request, paths)],
    stdin: fits ? null : prompt,
    transcript: null,
  };
}

/** The CLI would put texts of its own in the place of some `${names}`. */
function systemPrompt({ systemPrompt: text, answerSchema }: AgentRequest): string {
  const answer = answerSchema === null ? '' : renderAnswerInstructions(answerSchema);
  return `${text}\n${answer}`.replaceAll('${', '$ {');
}

function settingsFile(request: AgentRequest, paths: PathsInsideCell): LaunchFile {
  const { hookCommand, canaryCommand, endCommand } = paths;
  const settings = {
    security: {
      auth: { selectedType: 'gemini-api-key', enforcedType: 'gemini-api-key' },
      folderTrust: { enabled: true },
    },
    // Else a repository's `.env` sets variables, such as BASH_ENV, for it and for its commands.
    advanced: { ignoreLocalEnv: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      checkpointing: { enabled: false },
      // The orchestrator backs off by itself.
      maxAttempts: 3,
    },
    // An exact list: no web, no sub-agents, no memory, no skills.
    tools: { core: [...offeredTools(request), ...offeredLeadTools(paths)] },
    experimental: { enableAgents: false },
    skills: { enabled: false },
    mcpServers: servers(paths),
    // AGENTS.md is in the prompt where a person wants it; what is named here is read beside GEMINI.md.
    context: { fileName: '.no-context-file' },
    hooksConfig: { enabled: true },
    hooks: {
      ...(canaryCommand === null ? {} : { SessionStart: [hook('*', canaryCommand, 10_000)] }),
      ...(hookCommand === null ? {} : { BeforeTool: [hook('.*', wrapCallHookCommand(hookCommand), longestHook)] }),
      ...(endCommand === null ? {} : { AfterAgent: [hook('*', wrapEndHookCommand(endCommand), longestHook)] }),
    },
  };
  return { dir: 'home', path: '.gemini/settings.json', content: `${JSON.stringify(settings, null, 2)}\n` };
}

/** The server of our tools: trusted, since the watcher judges each call, and no person is there to ask. */
function servers({ toolsCommand }: PathsInsideCell): Readonly<Record<string, unknown>> {
  if (toolsCommand === null) return {};
  const [command, ...args] = toolsCommand;
  return { [leadServerName]: { command, args, timeout: leadCallTimeoutMs, trust: true } };
}

function hook(matcher: string, command: string, timeout: number): Readonly<Record<string, unknown>> {
  return { matcher, hooks: [{ type: 'command', name: 'flame', command, timeout }] };
}

/** The list leaves out every tool that it doesn't name, a trusted server's too. */
function offeredLeadTools({ toolsCommand }: PathsInsideCell): readonly string[] {
  return toolsCommand === null ? [] : leadTools.map((tool) => `${geminiLeadToolPrefix}${tool}`);
}

function offeredTools(request: AgentRequest): string[] {
  return Object.entries(offeredGeminiTools)
    .filter(([own]) => isToolOffered(request, own))
    .map(([, name]) => name);
}
