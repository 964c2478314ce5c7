import { type ModelProvider, singleCliProviders } from '../../domain/config/known-clis.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { badSecretError, type Environment, readSecret, readVariable } from './read-variable.ts';

interface ProviderFacts {
  readonly title: string;
  /** Where its address stands, the first one set counts; and its own. */
  readonly addresses: readonly string[];
  readonly address: string;
  /** The end of its addresses, and the beginning of the paths its CLIs ask for. */
  readonly version: '' | '/v1';
  /** Variables that hold a credential, as its CLIs read them. */
  readonly variables: readonly string[];
  readonly hints: readonly string[];
  /** Whose address and credential count, both, where no address of its own is set. */
  readonly otherwise?: ModelProvider;
}

const services: Readonly<Record<Exclude<ModelProvider, keyof typeof singleCliProviders>, ProviderFacts>> = {
  anthropic: {
    title: 'Anthropic',
    addresses: ['ANTHROPIC_BASE_URL'],
    address: 'https://api.anthropic.com',
    version: '',
    variables: ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
    hints: [
      'export ANTHROPIC_API_KEY=<key of the Anthropic Console>',
      'or with a subscription: run claude setup-token, copy the token it shows at the end, then: read -rs CLAUDE_CODE_OAUTH_TOKEN && export CLAUDE_CODE_OAUTH_TOKEN',
      'or for a proxy of your own: export ANTHROPIC_BASE_URL=<address> ANTHROPIC_AUTH_TOKEN=<token>',
    ],
  },
  openai: {
    title: 'OpenAI',
    addresses: ['OPENAI_BASE_URL'],
    address: 'https://api.openai.com/v1',
    version: '/v1',
    variables: ['OPENAI_API_KEY'],
    hints: [
      'export OPENAI_API_KEY=<key of platform.openai.com>',
      "or for Ollama, llama.cpp, LiteLLM or another server of your own: export OPENAI_BASE_URL=<address that ends with /v1>, its key, if it wants one, in OPENAI_API_KEY, and its model's name in .blueflame.yml",
    ],
  },
  google: {
    title: 'Gemini',
    addresses: ['GOOGLE_GEMINI_BASE_URL'],
    address: 'https://generativelanguage.googleapis.com',
    version: '',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    hints: [
      'export GEMINI_API_KEY=<key of aistudio.google.com>',
      'or for a server of your own: export GOOGLE_GEMINI_BASE_URL=<address>',
    ],
  },
  moonshot: {
    title: 'Moonshot',
    addresses: ['MOONSHOT_BASE_URL', 'KIMI_BASE_URL'],
    address: 'https://api.moonshot.ai/v1',
    version: '/v1',
    variables: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
    hints: [
      'export MOONSHOT_API_KEY=<key of platform.moonshot.ai>',
      'or for a server of your own: export MOONSHOT_BASE_URL=<address that ends with /v1>',
    ],
  },
};

function factsOf(provider: ModelProvider): ProviderFacts {
  return isOfCli(provider) ? { ...singleCliProviders[provider], address: '', hints: [] } : services[provider];
}

function isOfCli(provider: ModelProvider): provider is keyof typeof singleCliProviders {
  return Object.hasOwn(singleCliProviders, provider);
}

/** The provider whose variables count: an address and the key for another one are never mixed. */
function countingProvider(env: Environment, provider: ModelProvider): ModelProvider {
  const { addresses, otherwise } = factsOf(provider);
  return otherwise === undefined || addresses.some((name) => readVariable(env, name) !== '') ? provider : otherwise;
}

/** Returns the facts of the provider whose variables count. */
export function readProviderFacts(env: Environment, provider: ModelProvider): ProviderFacts {
  return factsOf(countingProvider(env, provider));
}

/** Returns the address of a provider, and the variable that sets it. */
export function readProviderAddress(
  env: Environment,
  provider: ModelProvider,
): { readonly name: string; readonly address: string } {
  const { addresses, address } = readProviderFacts(env, provider);
  const name = addresses.find((one) => readVariable(env, one) !== '');
  return {
    name: name ?? addresses[0] ?? '',
    address: name === undefined ? address : readVariable(env, name),
  };
}

interface Credential {
  /** As headers. */
  readonly credential: Readonly<Record<string, string>>;
  readonly sources: readonly string[];
}

/**
 * The credential for a provider, and where it was found. Of claude a token of a subscription only where there is no
 * other. Throws FlameError `bad-credential`.
 */
export function readCredential(env: Environment, provider: ModelProvider): Credential {
  const sources = listCredentialVariables(env, provider);
  const counting = countingProvider(env, provider);
  if (provider === 'anthropic') return { credential: readAnthropic(env), sources };
  const [source] = sources;
  if (source === undefined) return { credential: {}, sources };
  const key = readSecret(env, source);
  if (provider === 'google') return { credential: { 'x-goog-api-key': key }, sources };
  const places = counting === 'openai' ? Object.entries(openaiPlaces) : [];
  const named = places.flatMap(([name, header]) => {
    const value = readSecret(env, name);
    return value === '' ? [] : [[header, value]];
  });
  return { credential: { authorization: `Bearer ${key}`, ...Object.fromEntries(named) }, sources };
}

/** Where an account of OpenAI books a request, and the headers that say it. */
const openaiPlaces = {
  OPENAI_ORGANIZATION: 'openai-organization',
  OPENAI_PROJECT: 'openai-project',
} as const;

function readAnthropic(env: Environment): Record<string, string> {
  const key = readSecret(env, 'ANTHROPIC_API_KEY');
  const own = readSecret(env, 'ANTHROPIC_AUTH_TOKEN');
  const token = own !== '' || key !== '' ? own : readSecret(env, 'CLAUDE_CODE_OAUTH_TOKEN');
  return {
    ...(key === '' ? {} : { 'x-api-key': key }),
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  };
}

/** Which variables the credential is taken from. */
export function listCredentialVariables(env: Environment, provider: ModelProvider): readonly string[] {
  const set = readProviderFacts(env, provider).variables.filter((name) => readVariable(env, name) !== '');
  if (provider !== 'anthropic') return set.slice(0, 1);
  const own = set.filter((name) => name !== 'CLAUDE_CODE_OAUTH_TOKEN');
  return own.length > 0 ? own : set;
}

/**
 * Why a provider's models can't be asked from this environment, before anything is started; null if they can, or
 * another address is set: servers of one's own may want no credential.
 */
export function missingCredentialError(env: Environment, provider: ModelProvider): FlameError | null {
  const { addresses } = readProviderFacts(env, provider);
  const sources = listCredentialVariables(env, provider);
  const places = countingProvider(env, provider) === 'openai' ? Object.keys(openaiPlaces) : [];
  const problem = [...sources, ...places].map((name) => badSecretError(env, name)).find((one) => one !== null);
  if (problem !== undefined) return problem;
  if (sources.length > 0 || addresses.some((name) => readVariable(env, name) !== '')) return null;
  return noCredential(env, provider);
}

function noCredential(env: Environment, provider: ModelProvider): FlameError {
  const { title, variables, hints } = readProviderFacts(env, provider);
  const cloud = provider === 'anthropic' ? findConfiguredCloud(env) : null;
  const ofClaude = 'There is no credential for the model API, so no agent that uses a model can work.';
  return new FlameError({
    kind: 'environment',
    code: 'no-credential',
    message:
      provider === 'anthropic'
        ? ofClaude
        : `There is no credential for the model API of ${title} (${variables.join(' or ')}), so no agent that uses it can work.`,
    details: [
      provider === 'anthropic'
        ? "The claude CLI's own login is not used: agents have a home folder of their own."
        : "A CLI's own login is not used: agents have a home folder of their own.",
      ...(cloud === null
        ? []
        : [
            `${cloud.variable} is set, but agents can't ask ${cloud.title} as claude does: they need a service with Anthropic's own API, and a key.`,
          ]),
    ],
    hints: [...(cloud === null ? [] : [cloud.way]), ...hints, pageHint],
  });
}

// Below the page's own name, as it lies in the package.
const pageHint = 'docs/models.md of git flame lists the settings for each service: proxies, local models, clouds';

/** Services that claude asks in a way of their own, which the gateway doesn't speak, and how each is asked by Anthropic's. */
const clouds: readonly { readonly variable: string; readonly title: string; readonly way: string }[] = [
  {
    variable: 'CLAUDE_CODE_USE_BEDROCK',
    title: 'Amazon Bedrock',
    way: 'export ANTHROPIC_BASE_URL=https://bedrock-mantle.<region>.api.aws/anthropic ANTHROPIC_API_KEY=<a Bedrock API key>',
  },
  {
    variable: 'CLAUDE_CODE_USE_VERTEX',
    title: 'Google Vertex AI',
    way: 'start a LiteLLM proxy with your vertex_ai models, then: export ANTHROPIC_BASE_URL=http://127.0.0.1:4000 ANTHROPIC_AUTH_TOKEN=<its key>',
  },
  {
    variable: 'CLAUDE_CODE_USE_FOUNDRY',
    title: 'Microsoft Foundry',
    way: 'export ANTHROPIC_BASE_URL=https://<resource>.services.ai.azure.com/anthropic ANTHROPIC_API_KEY=<its key>',
  },
];

/** The cloud that claude is set up to ask; null: none. */
export function findConfiguredCloud(env: Environment): (typeof clouds)[number] | null {
  return clouds.find(({ variable }) => !/^(?:|0|false|no|off)$/i.test(readVariable(env, variable))) ?? null;
}
