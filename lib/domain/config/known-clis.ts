import type { Role } from '../role.ts';
import { parseModelId } from './model-id.ts';

/** The adapters there are; `exec` runs a task's description as a script. */
export const adapterNames = ['claude', 'codex', 'opencode', 'gemini', 'kimi', 'copilot', 'exec'] as const;
export type AdapterName = (typeof adapterNames)[number];

/** Adapters that ask a model. */
export const modelCliNames = adapterNames.filter((name) => name !== 'exec');

/** Variables of its own that name the model API it asks, as its programs read them. */
interface CliProvider {
  /** As a person calls it. */
  readonly title: string;
  readonly addresses: readonly string[];
  /** The end of its addresses. */
  readonly version: '' | '/v1';
  readonly variables: readonly string[];
  /** The provider whose address and credential are used where no address of its own is set. */
  readonly otherwise: 'anthropic' | 'openai' | 'google' | 'moonshot';
}

interface CliModels {
  /** Default models of its roles; null: there are none. */
  readonly usual: { readonly working: string; readonly judging: string } | null;
  /** Whether a name is one that its models have. */
  owns(model: string): boolean;
  /** Some of these names. */
  readonly examples: string;
  /** Files and folders at the top of a repository that it obeys as settings: hooks, plugins, servers, permissions. */
  readonly settings: readonly string[];
}

const clis: Readonly<Record<AdapterName, CliModels | null>> = {
  claude: {
    usual: { working: 'sonnet', judging: 'haiku' },
    owns: (model) => parseModelId(model) !== null || model.startsWith('claude-'),
    examples: 'sonnet or claude-opus-4-5',
    settings: ['.claude', '.claude.json', '.mcp.json'],
  },
  codex: {
    usual: { working: 'gpt-5.5', judging: 'gpt-5.4-mini' },
    owns: (model) => /^(?:gpt-|codex-|o\d\b)/.test(model),
    examples: 'gpt-5.5',
    settings: ['.codex'],
  },
  // Only the person can choose among its providers.
  opencode: {
    usual: null,
    owns: (model) => /^(?:anthropic|openai|google|moonshotai)\//.test(model),
    examples: 'anthropic/claude-opus-4-5 or openai/gpt-5.5',
    settings: ['.opencode', 'opencode.json', 'opencode.jsonc'],
  },
  gemini: {
    usual: { working: 'gemini-2.5-pro', judging: 'gemini-2.5-flash' },
    owns: (model) => model.startsWith('gemini-'),
    examples: 'gemini-2.5-pro',
    settings: ['.gemini'],
  },
  kimi: {
    usual: { working: 'kimi-k2.6', judging: 'kimi-k2.6' },
    owns: (model) => /^(?:kimi|moonshot)-/.test(model),
    examples: 'kimi-k2.6',
    settings: ['.kimi', '.kimi-code'],
  },
  // With a provider of one's own it has what that has.
  copilot: {
    usual: { working: 'gpt-5.5', judging: 'gpt-5.4-mini' },
    owns: (model) => /^(?:gpt-|o\d\b|anthropic\/)/.test(model),
    examples: 'gpt-5.5 or anthropic/claude-opus-4-5',
    settings: ['.copilot', '.github/hooks', '.github/copilot'],
  },
  exec: null,
};

/** Model APIs, as the gateway finds them, of CLIs that read variables no other CLI has. */
export const singleCliProviders = {
  copilot: {
    title: 'the Copilot CLI',
    addresses: ['COPILOT_PROVIDER_BASE_URL'],
    version: '/v1',
    variables: ['COPILOT_PROVIDER_BEARER_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
    otherwise: 'openai',
  },
} as const satisfies Partial<Record<AdapterName, CliProvider>>;

/** Files of a repository that any of them obeys as settings. */
export const cliSettingsFiles: readonly string[] = Object.values(clis).flatMap((cli) => cli?.settings ?? []);

/** The default model of a role; '' where its CLI has none to choose. */
export function findDefaultModel(adapter: string, role: Role): string {
  const usual = modelsOf(adapter)?.usual;
  if (usual === undefined || usual === null) return '';
  return role === 'validator' ? usual.judging : usual.working;
}

/**
 * Why a model's name belongs to another CLI than this adapter, as the end of a sentence; null: it is the adapter's own,
 * it is unknown, or the person set its price, since a service of theirs has it.
 */
export function explainForeignModel(
  adapter: string,
  model: string,
  prices: Readonly<Record<string, unknown>>,
): string | null {
  const own = modelsOf(adapter);
  if (own === null) return null;
  if (model === '') return 'names no model';
  if (own.owns(model) || Object.hasOwn(prices, model)) return null;
  const owner = modelCliNames.find((name) => modelsOf(name)?.owns(model));
  return owner === undefined ? null : `names ${JSON.stringify(model)}, a model of ${owner}`;
}

/** Names its models have, as an example. */
export function listExampleModels(adapter: string): string {
  return modelsOf(adapter)?.examples ?? '';
}

function modelsOf(adapter: string): CliModels | null {
  const name = adapterNames.find((known) => known === adapter);
  return name === undefined ? null : clis[name];
}

/** The languages of the model APIs that agents' CLIs speak: Anthropic's Messages, OpenAI's Responses and Chat Completions, Gemini's generateContent. */
export type DialectName = 'anthropic' | 'responses' | 'chat' | 'gemini';

/** Services of models: each with an address and a credential of its own. */
export type ModelProvider = 'anthropic' | 'openai' | 'google' | 'moonshot' | keyof typeof singleCliProviders;

/** A model API as an agent's CLI asks for it: below `<address in the cell><prefix>`, as below the provider's own address. */
export interface ModelApi {
  readonly provider: ModelProvider;
  /** '' or `/openai`. */
  readonly prefix: string;
  readonly dialects: readonly DialectName[];
  /** Prefix of its models' names in the configuration, like `openai/`; its API doesn't know that. */
  readonly named?: string;
  /** Of a CLI with several: a model it has, as its API names it. */
  readonly usual?: string;
  /** The family of a small model that the CLI asks by itself. */
  readonly helper?: string;
}
