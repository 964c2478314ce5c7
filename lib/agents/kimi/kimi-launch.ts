import { join } from 'node:path';
import { askPersonToolName } from '../../domain/agent-messages.ts';
import { fullLeadToolName, leadCallTimeoutMs, leadTools } from '../../domain/lead-tools.ts';
import type { AgentLaunch, PathsInsideCell } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { renderAnswerInstructions } from '../answer-from-text.ts';
import { wrapCallHookCommand, wrapEndHookCommand } from '../cli-hooks.ts';
import {
  avoidCommandInPrompt,
  buildCellEnvironment,
  buildLeadServerFile,
  fitsInOneArgument,
  isAskToolOffered,
  isToolOffered,
  tomlString,
} from '../launch-settings.ts';
import { offeredKimiTools } from './kimi-calls.ts';

const agentName = 'agent.md';
const skillsName = 'no-skills';
// In seconds; with more, the hook is passed over. The watcher itself ends in ten.
const longestHook = 600;
const contextTokens = 262_144;

/** How Kimi Code is started: by a configuration in its own home, and an agent file of its own. */
export function buildKimiLaunch(request: AgentRequest, paths: PathsInsideCell): AgentLaunch {
  const prompt = avoidCommandInPrompt(request.prompt);
  // It reads no stdin.
  const fits = fitsInOneArgument(prompt);
  return {
    argv: [
      ...paths.command,
      '--output-format',
      'stream-json',
      ...['--agent-file', join(paths.controlDir, agentName)],
      ...['--skills-dir', join(paths.controlDir, skillsName)],
      ...['--prompt', fits ? prompt : 'Carry out the task that your instructions end with.'],
    ],
    env: {
      ...buildCellEnvironment(paths),
      KIMI_CODE_HOME: join(paths.home, '.kimi-code'),
      KIMI_CODE_NO_AUTO_UPDATE: '1',
      KIMI_DISABLE_TELEMETRY: '1',
      KIMI_DISABLE_CRON: '1',
    },
    files: [
      { dir: 'control', path: agentName, content: agentFile(request, fits ? '' : prompt) },
      { dir: 'control', path: `${skillsName}/.keep`, content: '' },
      { dir: 'home', path: '.kimi-code/config.toml', content: settings(request, paths) },
      ...buildLeadServerFile(paths, { dir: 'home', path: '.kimi-code/mcp.json' }, { toolTimeoutMs: leadCallTimeoutMs }),
    ],
    stdin: null,
    transcript: null,
  };
}

/** Its body is the system prompt; the CLI would put texts of its own in the place of some `${names}`. */
function agentFile(request: AgentRequest, task: string): string {
  const { answerSchema, systemPrompt } = request;
  const body = [systemPrompt, answerSchema === null ? '' : renderAnswerInstructions(answerSchema), task].join('\n');
  return [
    '---',
    'name: flame',
    'description: An agent of git-flame.',
    `tools: [${offeredTools(request).join(', ')}]`,
    'subagents: []',
    '---',
    // Without a body the file is refused.
    body.trim() === '' ? 'Do what you are asked.' : body.replaceAll('${', '$ {'),
  ].join('\n');
}

function offeredTools(request: AgentRequest): readonly string[] {
  const offered = [...offeredKimiTools, ...leadTools.map(fullLeadToolName)].filter((tool) =>
    isToolOffered(request, tool),
  );
  return isAskToolOffered(request) ? [...offered, askPersonToolName] : offered;
}

function settings(request: AgentRequest, paths: PathsInsideCell): string {
  const { hookCommand, canaryCommand, endCommand } = paths;
  const hook = (event: string, command: string, more: readonly string[]): readonly string[] => [
    '[[hooks]]',
    `event = ${tomlString(event)}`,
    `command = ${tomlString(command)}`,
    ...more,
  ];
  return `${[
    'default_model = "flame"',
    'default_permission_mode = "auto"',
    'telemetry = false',
    'merge_all_available_skills = false',
    'builtin_product_skills = false',
    '[providers.flame]',
    'type = "kimi"',
    `base_url = ${tomlString(`${paths.baseUrl ?? ''}/moonshot/v1`)}`,
    `api_key = ${tomlString(paths.apiKey)}`,
    '[models.flame]',
    'provider = "flame"',
    `model = ${tomlString(request.model)}`,
    `max_context_size = ${contextTokens}`,
    // The orchestrator backs off by itself.
    '[loop_control]',
    'max_attempts_per_step = 3',
    '[background]',
    'keep_alive_on_exit = false',
    'print_background_mode = "exit"',
    'bash_auto_background_on_timeout = false',
    '[tools]',
    `enabled = [${offeredTools(request).map(tomlString).join(', ')}]`,
    ...(canaryCommand === null ? [] : hook('SessionStart', canaryCommand, ['timeout = 10'])),
    ...(hookCommand === null
      ? []
      : hook('PreToolUse', wrapCallHookCommand(hookCommand), ['matcher = ".*"', `timeout = ${longestHook}`])),
    ...(endCommand === null ? [] : hook('Stop', wrapEndHookCommand(endCommand), [`timeout = ${longestHook}`])),
  ].join('\n')}\n`;
}
