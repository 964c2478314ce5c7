import { join } from 'node:path';
import { leadServer, longestLeadCall } from '../../domain/lead-tools.ts';
import type { CellPaths, Launch, LaunchFile } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { endHook } from '../blocked-end.ts';
import { cellEnvironment } from '../cell-environment.ts';
import { guardedHook } from '../guarded-hook.ts';
import { fitsArgument, plainPrompt } from '../plain-prompt.ts';
import { strictSchema } from '../strict-schema.ts';
import { catalogFor } from './codex-catalog.ts';

const catalogName = 'models.json';
const schemaName = 'schema.json';
// A hook that is out of time lets its call through; the watcher ends by itself in seconds. In seconds.
const longestHook = 1_000_000;

// Tools that a lead can't watch, and what only a person at a terminal has any use of.
const featuresOff = [
  'multi_agent',
  'goals',
  'apps',
  'tool_suggest',
  'image_generation',
  'plugins',
  'skill_search',
  'shell_snapshot',
  'view_image',
  'skill_mcp_dependency_install',
  'unbounded_connection_retries',
];

/**
 * How Codex is started. Everything is said in its arguments: it reads no file that an agent could change, but for the
 * catalog, which the agent can only read.
 */
export function launchCodex(request: AgentRequest, paths: CellPaths): Launch {
  const prompt = plainPrompt(request.prompt);
  const fits = fitsArgument(prompt);
  return {
    argv: [
      ...paths.command,
      'exec',
      '--json',
      '--ephemeral',
      '--ignore-user-config',
      '--ignore-rules',
      ...['--skip-git-repo-check', '--dangerously-bypass-hook-trust'],
      // Its own sandbox can't be made within the cell, which confines it.
      '-s',
      'danger-full-access',
      '-C',
      request.worktree.path,
      '-m',
      request.model,
      ...(request.answerSchema === null ? [] : ['--output-schema', join(paths.controlDir, schemaName)]),
      ...settings(paths).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      fits ? prompt : '-',
    ],
    env: {
      ...cellEnvironment(paths),
      CODEX_HOME: join(paths.home, '.codex'),
      OPENAI_API_KEY: paths.apiKey,
    },
    files: [
      // It wants its folder to be there.
      { dir: 'home', path: '.codex/.keep', content: '' },
      {
        dir: 'control',
        path: catalogName,
        content: catalogFor(paths.prepared ?? '', {
          model: request.model,
          instructions: request.systemPrompt,
          hasShell: paths.toolsCommand === null,
        }),
      },
      ...schemaFile(request),
    ],
    stdin: fits ? null : prompt,
    transcript: null,
  };
}

function settings(paths: CellPaths): readonly (readonly [string, string])[] {
  return [
    ['model_provider', text('flame')],
    ['model_providers.flame.name', text('flame')],
    ['model_providers.flame.base_url', text(`${paths.baseUrl ?? ''}/openai/v1`)],
    ['model_providers.flame.wire_api', text('responses')],
    ['model_providers.flame.env_key', text('OPENAI_API_KEY')],
    // The orchestrator backs off by itself.
    ['model_providers.flame.request_max_retries', '2'],
    ['model_providers.flame.stream_max_retries', '2'],
    ['model_catalog_json', text(join(paths.controlDir, catalogName))],
    ...hooks(paths),
    ...leadTools(paths),
    ['approval_policy', text('never')],
    ['web_search', text('disabled')],
    // A shell that reads profiles first runs what stands there.
    ['allow_login_shell', 'false'],
    // Commands need no key, and its own list of what looks like one may change.
    ['shell_environment_policy.exclude', '["OPENAI_API_KEY"]'],
    // AGENTS.md is in the prompt where a person wants it.
    ['project_doc_max_bytes', '0'],
    ['skills.bundled.enabled', 'false'],
    ['include_permissions_instructions', 'false'],
    ['analytics.enabled', 'false'],
    ['check_for_update_on_startup', 'false'],
    ...featuresOff.map((name) => [`features.${name}`, 'false'] as const),
  ];
}

function hooks({
  hookCommand,
  canaryCommand,
  endCommand,
}: CellPaths): readonly (readonly [string, string])[] {
  const hook = (command: string, timeout: number): string =>
    `{type="command",command=${text(command)},timeout=${timeout}}`;
  return [
    ...(canaryCommand === null
      ? []
      : [['hooks.SessionStart', `[{hooks=[${hook(canaryCommand, 10)}]}]`] as const]),
    ...(hookCommand === null
      ? []
      : [
          [
            'hooks.PreToolUse',
            `[{matcher=".*",hooks=[${hook(guardedHook(hookCommand), longestHook)}]}]`,
          ] as const,
        ]),
    ...(endCommand === null
      ? []
      : [['hooks.Stop', `[{hooks=[${hook(endHook(endCommand), longestHook)}]}]`] as const]),
  ];
}

/** It waits for the server of our tools, and ends where that doesn't start; what is called the watcher judges. */
function leadTools({ toolsCommand }: CellPaths): readonly (readonly [string, string])[] {
  if (toolsCommand === null) return [];
  const [command, ...args] = toolsCommand;
  const server = `mcp_servers.${leadServer}`;
  return [
    [`${server}.command`, text(command)],
    [`${server}.args`, `[${args.map(text).join(',')}]`],
    [`${server}.required`, 'true'],
    [`${server}.default_tools_approval_mode`, text('approve')],
    [`${server}.tool_timeout_sec`, `${longestLeadCall / 1_000}`],
    // Else the middle of what is longer than 12,000 characters is left out.
    ['tool_output_token_limit', '20000'],
  ];
}

/** A TOML string: JSON's escapes are some of TOML's. */
function text(value: string): string {
  return JSON.stringify(value).replace(/\x7f/g, '\\u007f');
}

function schemaFile({ answerSchema }: AgentRequest): readonly LaunchFile[] {
  if (answerSchema === null) return [];
  return [{ dir: 'control', path: schemaName, content: `${JSON.stringify(strictSchema(answerSchema))}\n` }];
}
