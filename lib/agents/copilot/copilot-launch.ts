import { join } from 'node:path';
import { leadCallTimeoutMs, leadTools } from '../../domain/lead-tools.ts';
import type { AgentLaunch, PathsInsideCell } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { addAnswerRequestToPrompt } from '../answer-from-text.ts';
import { wrapEndHookCommand } from '../cli-hooks.ts';
import { buildCellEnvironment, buildLeadServerFile, isAskToolOffered, isToolOffered } from '../launch-settings.ts';
import { copilotLeadToolPrefix, offeredCopilotTools } from './copilot-calls.ts';

const anthropic = 'anthropic/';
const serverName = 'server.json';
// In seconds: a hook that is out of time lets its call through; the watcher itself ends in ten.
const longestHook = 100_000_000;

/**
 * How the Copilot CLI is started. What a person would be asked is allowed: the watcher judges it. The folder it works
 * in is not trusted, so it takes no hooks, servers and skills from there.
 */
export function buildCopilotLaunch(request: AgentRequest, paths: PathsInsideCell): AgentLaunch {
  const { prepared } = paths;
  const server = { type: 'local', tools: ['*'], timeout: leadCallTimeoutMs };
  return {
    argv: [
      ...paths.command,
      '--output-format',
      'json',
      '--no-color',
      '--allow-all',
      '--no-auto-update',
      '--no-custom-instructions',
      '--disable-builtin-mcps',
      ...(isAskToolOffered(request) ? [] : ['--no-ask-user']),
      '--no-remote',
      '--no-remote-export',
      '--no-experimental',
      '--disable-client-telemetry',
      '--no-bash-env',
      '--model',
      withoutProvider(request.model),
      ...(paths.toolsCommand === null ? [] : ['--additional-mcp-config', `@${join(paths.controlDir, serverName)}`]),
      ...['--available-tools', ...offeredTools(request, paths)],
    ],
    env: {
      ...buildCellEnvironment(paths),
      // It always runs bash, without start files, and removes the key from the environment of commands itself.
      SHELL: '/bin/bash',
      COPILOT_HOME: `${paths.home}/.copilot`,
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      USE_TGREP: 'false',
      ...(prepared === null ? {} : { COPILOT_PKG_CACHE_HOME: prepared }),
      ...provider(request, paths),
      COPILOT_PROVIDER_API_KEY: paths.apiKey,
    },
    files: [
      { dir: 'home', path: '.copilot/hooks/flame.json', content: hooks(paths) },
      ...buildLeadServerFile(paths, { dir: 'control', path: serverName }, server),
    ],
    // Of stdin it expands nothing, and takes nothing for a command.
    stdin: addAnswerRequestToPrompt({ ...request, prompt: `${request.systemPrompt}\n\n${request.prompt}` }),
    transcript: null,
    ...(prepared === null ? {} : { reads: [`${prepared}/pkg`] }),
  };
}

function withoutProvider(model: string): string {
  return model.startsWith(anthropic) ? model.slice(anthropic.length) : model;
}

function provider({ model }: AgentRequest, { baseUrl }: PathsInsideCell): Readonly<Record<string, string>> {
  return model.startsWith(anthropic)
    ? { COPILOT_PROVIDER_TYPE: 'anthropic', COPILOT_PROVIDER_BASE_URL: `${baseUrl ?? ''}/anthropic` }
    : {
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_PROVIDER_WIRE_API: 'responses',
        COPILOT_PROVIDER_BASE_URL: `${baseUrl ?? ''}/openai/v1`,
      };
}

/** None is offered by an empty list as all are by a missing one: it always names something. */
function offeredTools(request: AgentRequest, { toolsCommand }: PathsInsideCell): readonly string[] {
  const offered = Object.entries(offeredCopilotTools)
    .filter(([, own]) => isToolOffered(request, own))
    .map(([name]) => name);
  if (isAskToolOffered(request)) offered.push('ask_user');
  if (toolsCommand !== null) offered.push(...leadTools.map((tool) => `${copilotLeadToolPrefix}${tool}`));
  return offered.length === 0 ? ['none'] : offered;
}

function hooks({ hookCommand, canaryCommand, endCommand }: PathsInsideCell): string {
  const hook = (bash: string, timeoutSec: number): readonly object[] => [{ type: 'command', bash, timeoutSec }];
  return `${JSON.stringify({
    version: 1,
    hooks: {
      ...(canaryCommand === null ? {} : { sessionStart: hook(canaryCommand, 10) }),
      ...(hookCommand === null ? {} : { preToolUse: hook(jsonReasonHook(hookCommand), longestHook) }),
      ...(endCommand === null ? {} : { agentStop: hook(wrapEndHookCommand(endCommand), longestHook) }),
    },
  })}\n`;
}

/**
 * It blocks at every exit code but 0, and passes the reason on to the model only in JSON. So the watcher's reason is
 * put there, in one line; its own quotes and backslashes keep their meaning.
 */
function jsonReasonHook(command: string): string {
  return [
    `why=$(${command} 2>&1) && exit 0`,
    `why=$(printf %s "$why" | tr '\\n\\t' '  ' | tr -d '\\000-\\037' | sed 's/[\\\\"]/\\\\&/g')`,
    `printf '{"permissionDecision":"deny","permissionDecisionReason":"%s"}' "\${why:-The watcher failed. [watcher-failed]}"`,
    'exit 2',
  ].join('\n');
}
