import { join } from 'node:path';
import { leadCallTimeoutMs, leadServerName } from '../../domain/lead-tools.ts';
import type { AgentLaunch, LaunchFile, PathsInsideCell } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { listWords } from '../../util/sort-and-group.ts';
import { addAnswerRequestToPrompt } from '../answer-from-text.ts';
import { wrapCallHookCommand } from '../cli-hooks.ts';
import { buildCellEnvironment } from '../launch-settings.ts';

const settingsName = 'opencode.json';
const pluginName = 'watcher.mjs';
const agentName = 'flame';

/** How opencode is started. The prompt comes through stdin: of an argument it makes a quoted one. */
export function buildOpencodeLaunch(request: AgentRequest, paths: PathsInsideCell): AgentLaunch {
  return {
    argv: [
      ...paths.command,
      'run',
      '--format',
      'json',
      '--print-logs',
      '--log-level',
      'WARN',
      // Without a title it asks the model for one.
      '--agent',
      agentName,
      '--model',
      request.model,
      '--title',
      request.taskTitle ?? request.role,
    ],
    env: {
      ...buildCellEnvironment(paths),
      XDG_CONFIG_HOME: join(paths.home, '.config'),
      OPENCODE_CONFIG: join(paths.controlDir, settingsName),
      // Nothing of the repository, of other CLIs or from the network.
      ...Object.fromEntries(switchedOff.map((name) => [`OPENCODE_DISABLE_${name}`, '1'])),
    },
    files: [
      {
        dir: 'control',
        path: settingsName,
        content: `${JSON.stringify(settings(request, paths), null, 2)}\n`,
      },
      ...(paths.hookCommand === null ? [] : [pluginFile(paths.hookCommand, paths.canaryCommand)]),
      ...installedFiles,
    ],
    stdin: addAnswerRequestToPrompt(request),
    transcript: null,
  };
}

const switchedOff = listWords(`
  PROJECT_CONFIG AUTOUPDATE MODELS_FETCH LSP_DOWNLOAD CLAUDE_CODE EXTERNAL_SKILLS DEFAULT_PLUGINS SHARE
`);

// Where these are missing it installs them at its start, which takes more than a minute offline.
const plugins = { dependencies: { '@opencode-ai/plugin': '*' } };
const installedFiles: readonly LaunchFile[] = [
  { dir: 'home', path: '.config/opencode/package.json', content: JSON.stringify(plugins) },
  {
    dir: 'home',
    path: '.config/opencode/package-lock.json',
    content: JSON.stringify({ lockfileVersion: 3, requires: true, packages: { '': plugins } }),
  },
  { dir: 'home', path: '.config/opencode/node_modules/.keep', content: '' },
];

function pluginFile(hookCommand: string, canaryCommand: string | null): LaunchFile {
  return { dir: 'control', path: pluginName, content: opencodePlugin(hookCommand, canaryCommand) };
}

const addresses: Readonly<Record<string, string>> = {
  anthropic: '/anthropic/v1',
  openai: '/openai/v1',
  google: '/google/v1beta',
  moonshotai: '/moonshotai/v1',
};

function settings(request: AgentRequest, paths: PathsInsideCell): Readonly<Record<string, unknown>> {
  const [provider = '', ...rest] = request.model.split('/');
  const permission = permissionsOf(paths);
  const options = { baseURL: `${paths.baseUrl ?? ''}${addresses[provider] ?? ''}`, apiKey: paths.apiKey };
  return {
    plugin: paths.hookCommand === null ? [] : [`file://${join(paths.controlDir, pluginName)}`],
    // Else it asks another one for side questions.
    small_model: request.model,
    share: 'disabled',
    autoupdate: false,
    snapshot: false,
    lsp: false,
    formatter: false,
    // One that it doesn't know by itself is known by being named.
    provider: { [provider]: { options, models: { [rest.join('/')]: {} } } },
    mcp: leadTools(paths),
    permission,
    agent: { [agentName]: { mode: 'primary', prompt: request.systemPrompt, permission } },
  };
}

/** The server of our tools; a call of it may wait for a person. */
function leadTools({ toolsCommand }: PathsInsideCell): Readonly<Record<string, unknown>> {
  if (toolsCommand === null) return {};
  const server = { type: 'local', command: toolsCommand, enabled: true, timeout: leadCallTimeoutMs };
  return { [leadServerName]: server };
}

/** Who leads is offered our tools alone. */
function permissionsOf({ toolsCommand }: PathsInsideCell): Readonly<Record<string, string>> {
  return toolsCommand === null ? permissions : { '*': 'deny', [`${leadServerName}_*`]: 'allow', doom_loop: 'allow' };
}

// Never `ask`, which ends a run as if it were done. What is allowed here the watcher judges.
const permissions = {
  '*': 'deny',
  ...Object.fromEntries(['bash', 'edit', 'read', 'glob', 'grep', 'list'].map((name) => [name, 'allow'])),
  external_directory: 'deny',
  doom_loop: 'allow',
};

/**
 * Writes the source of the plugin by which opencode asks the watcher: an error that it throws blocks a call, and the
 * model reads it. Making the plugin leaves the sign that it was loaded.
 */
function opencodePlugin(hookCommand: string, canaryCommand: string | null): string {
  return `import { spawnSync } from 'node:child_process';

const run = (command, input) =>
  spawnSync('/bin/sh', ['-c', command], { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

export const Watcher = async ({ directory }) => {
  ${canaryCommand === null ? '' : `run(${JSON.stringify(canaryCommand)}, '');`}
  return {
    'tool.execute.before': async ({ tool, callID }, { args }) => {
      const call = { tool_name: tool, tool_input: args, tool_use_id: callID, cwd: directory };
      const { status, stderr } = run(${JSON.stringify(wrapCallHookCommand(hookCommand))}, JSON.stringify(call));
      if (status !== 0) throw new Error(String(stderr ?? '').trim() || 'The watcher failed. [watcher-failed]');
    },
  };
};
`;
}
