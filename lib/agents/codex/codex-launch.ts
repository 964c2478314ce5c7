import { join } from 'node:path';
import { leadCallTimeoutMs, leadServerName } from '../../domain/lead-tools.ts';
import type { AgentLaunch, LaunchFile, PathsInsideCell } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord, parseJsonRecord } from '../../util/json.ts';
import { listWords } from '../../util/sort-and-group.ts';
import { wrapCallHookCommand, wrapEndHookCommand } from '../cli-hooks.ts';
import { avoidCommandInPrompt, buildCellEnvironment, fitsInOneArgument, tomlString } from '../launch-settings.ts';

const catalogName = 'models.json';
const schemaName = 'schema.json';
// A hook that is out of time lets its call through; the watcher ends by itself in seconds. In seconds.
const longestHook = 1_000_000;

// Tools that a lead can't watch, and what only a person at a terminal has any use of.
const featuresOff = listWords(`
  multi_agent goals apps tool_suggest image_generation plugins skill_search shell_snapshot view_image
  skill_mcp_dependency_install unbounded_connection_retries
`);

/**
 * How Codex is started. Everything is said in its arguments: it reads no file that an agent could change, but for the
 * catalog, which the agent can only read.
 */
export function buildCodexLaunch(request: AgentRequest, paths: PathsInsideCell): AgentLaunch {
  const prompt = avoidCommandInPrompt(request.prompt);
  const fits = fitsInOneArgument(prompt);
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
      ...buildCellEnvironment(paths),
      CODEX_HOME: join(paths.home, '.codex'),
      OPENAI_API_KEY: paths.apiKey,
    },
    files: [
      // It wants its folder to be there.
      { dir: 'home', path: '.codex/.keep', content: '' },
      {
        dir: 'control',
        path: catalogName,
        content: buildAgentModelCatalog(paths.prepared ?? '', {
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

function settings(paths: PathsInsideCell): readonly (readonly [string, string])[] {
  return [
    ['model_provider', tomlString('flame')],
    ['model_providers.flame.name', tomlString('flame')],
    ['model_providers.flame.base_url', tomlString(`${paths.baseUrl ?? ''}/openai/v1`)],
    ['model_providers.flame.wire_api', tomlString('responses')],
    ['model_providers.flame.env_key', tomlString('OPENAI_API_KEY')],
    // The orchestrator backs off by itself.
    ['model_providers.flame.request_max_retries', '2'],
    ['model_providers.flame.stream_max_retries', '2'],
    ['model_catalog_json', tomlString(join(paths.controlDir, catalogName))],
    ...hooks(paths),
    ...leadTools(paths),
    ['approval_policy', tomlString('never')],
    ['web_search', tomlString('disabled')],
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

function hooks({ hookCommand, canaryCommand, endCommand }: PathsInsideCell): readonly (readonly [string, string])[] {
  const hook = (command: string, timeout: number): string =>
    `hooks=[{type="command",command=${tomlString(command)},timeout=${timeout}}]`;
  const settings: readonly (readonly [event: string, setting: string | null])[] = [
    ['SessionStart', canaryCommand && hook(canaryCommand, 10)],
    ['PreToolUse', hookCommand && `matcher=".*",${hook(wrapCallHookCommand(hookCommand), longestHook)}`],
    ['Stop', endCommand && hook(wrapEndHookCommand(endCommand), longestHook)],
  ];
  return settings.flatMap(([event, setting]) => (setting === null ? [] : [[`hooks.${event}`, `[{${setting}}]`]]));
}

/** It waits for the server of our tools, and ends where that doesn't start; what is called the watcher judges. */
function leadTools({ toolsCommand }: PathsInsideCell): readonly (readonly [string, string])[] {
  if (toolsCommand === null) return [];
  const [command, ...args] = toolsCommand;
  const server = `mcp_servers.${leadServerName}`;
  return [
    [`${server}.command`, tomlString(command)],
    [`${server}.args`, `[${args.map(tomlString).join(',')}]`],
    [`${server}.required`, 'true'],
    [`${server}.default_tools_approval_mode`, tomlString('approve')],
    [`${server}.tool_timeout_sec`, `${leadCallTimeoutMs / 1_000}`],
    // Else the middle of what is longer than 12,000 characters is left out.
    ['tool_output_token_limit', '20000'],
  ];
}

function schemaFile({ answerSchema }: AgentRequest): readonly LaunchFile[] {
  if (answerSchema === null) return [];
  return [{ dir: 'control', path: schemaName, content: `${JSON.stringify(toOpenAiStrictSchema(answerSchema))}\n` }];
}

/** Codex's own list of models (`codex debug models`), as one line of JSON; null where it printed none. */
export function parseCodexModelCatalog(output: string): string | null {
  const { models } = parseJsonRecord(output);
  return Array.isArray(models) && models.some(hasSlug) ? JSON.stringify({ models }) : null;
}

interface Wanted {
  readonly model: string;
  readonly instructions: string;
  /** Whether it may run commands and change files: the lead agent calls our tools alone. */
  readonly hasShell: boolean;
}

/**
 * Returns the catalog an agent runs with: its model alone, with tools that are called one by one. In the code mode that
 * its newer models are made for, hooks get ids that no conversation shows, so no call could be matched to a decision.
 * A model that Codex doesn't know has plain tools by itself, but for the patch.
 */
export function buildAgentModelCatalog(catalog: string, wanted: Wanted): string {
  const { model } = wanted;
  const { models } = parseJsonRecord(catalog);
  const known = (Array.isArray(models) ? models : []).filter(hasSlug);
  // Dated versions have their model's facts.
  const found = known
    .filter(({ slug }) => model === slug || model.startsWith(`${slug}-`))
    .sort((one, other) => other.slug.length - one.slug.length)[0];
  // A catalog holds one at least: else a name that only begins like a known one would be taken for that.
  const entry = found === undefined ? { ...known[0], slug: 'no-model' } : { ...found, slug: model };
  return `${JSON.stringify({ models: [plainTools(entry, wanted)] })}\n`;
}

function plainTools(entry: JsonRecord, { instructions, hasShell }: Wanted): JsonRecord {
  const { multi_agent_version: _, ...rest } = entry;
  return {
    ...rest,
    tool_mode: null,
    use_responses_lite: false,
    supports_search_tool: false,
    experimental_supported_tools: [],
    availability_nux: null,
    upgrade: null,
    // They would stand before the instructions, and speak of tools that aren't offered.
    model_messages: null,
    base_instructions: instructions,
    ...(hasShell ? {} : { shell_type: 'disabled', apply_patch_tool_type: null }),
  };
}

function hasSlug(entry: unknown): entry is JsonRecord & { readonly slug: string } {
  return isJsonRecord(entry) && typeof entry.slug === 'string';
}

/**
 * A JSON Schema as OpenAI's strict mode takes it: an object has all its properties and no others, and one that may be
 * left out may be null instead. See dropNullProperties.
 */
export function toOpenAiStrictSchema(schema: JsonRecord): JsonRecord {
  const { properties, items, required } = schema;
  if (isJsonRecord(items)) return { ...schema, items: toOpenAiStrictSchema(items) };
  if (!isJsonRecord(properties)) return schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const strict = Object.entries(properties).map(([name, property]): [string, unknown] => {
    const own = isJsonRecord(property) ? toOpenAiStrictSchema(property) : property;
    return [name, needed.includes(name) ? own : { anyOf: [own, { type: 'null' }] }];
  });
  return {
    ...schema,
    properties: Object.fromEntries(strict),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** An answer by such a schema: what is null was left out. */
export function dropNullProperties(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNullProperties);
  if (!isJsonRecord(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, dropNullProperties(inner)]));
}
