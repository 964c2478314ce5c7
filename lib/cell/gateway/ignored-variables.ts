import type { Config } from '../../domain/config/config-schema.ts';
import type { AdapterName, ModelProvider } from '../../domain/config/known-clis.ts';
import { listConfiguredAgents } from '../../domain/config/role-adapter-and-model.ts';
import { findConfiguredCloud, listCredentialVariables, readProviderAddress } from './model-credential.ts';
import { type Environment, readVariable } from './read-variable.ts';

/** Variables by which a CLI of its own would take another model, and the key of `models` that says it here. */
const modelVariables: Readonly<Partial<Record<AdapterName, Readonly<Record<string, string>>>>> = {
  claude: {
    ANTHROPIC_MODEL: 'default',
    ANTHROPIC_DEFAULT_FABLE_MODEL: 'default',
    ANTHROPIC_DEFAULT_OPUS_MODEL: 'default',
    ANTHROPIC_DEFAULT_SONNET_MODEL: 'default',
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'validator',
    ANTHROPIC_SMALL_FAST_MODEL: 'validator',
  },
  gemini: { GEMINI_MODEL: 'default' },
  kimi: { KIMI_MODEL_NAME: 'default' },
  copilot: { COPILOT_MODEL: 'default' },
};

/** Lists variables that an adapter's CLI would obey and its agents don't, each with the setting that replaces it. */
export function listIgnoredVariables(
  env: Environment,
  { config, adapter, providers }: { config: Config; adapter: string; providers: readonly ModelProvider[] },
): readonly string[] {
  const models = listConfiguredAgents(config).filter((choice) => choice.adapter === adapter);
  const variables = Object.entries(modelVariables[adapter as AdapterName] ?? {});
  const ofModels = variables.flatMap(([name, key]) => {
    const value = readVariable(env, name);
    if (value === '' || models.some(({ model }) => model === value)) return [];
    return [
      `${name} is ignored. Set the model of agents in .blueflame.yml: models: { ${key}: ${JSON.stringify(value)} }`,
    ];
  });
  return [...ofModels, ...(providers.includes('anthropic') ? ofAnthropic(env) : [])];
}

function ofAnthropic(env: Environment): readonly string[] {
  const cloud = findConfiguredCloud(env);
  const sources = listCredentialVariables(env, 'anthropic').join(' and ') || 'no credential';
  const { address } = readProviderAddress(env, 'anthropic');
  const asked = `agents ask ${address} with ${sources}`;
  return [
    ...(cloud === null ? [] : [`${cloud.variable} is ignored: ${asked}. For ${cloud.title}: ${cloud.way}`]),
    ...(readVariable(env, 'ANTHROPIC_CUSTOM_HEADERS') === ''
      ? []
      : [
          'ANTHROPIC_CUSTOM_HEADERS is ignored: the gateway sends only headers it knows. A proxy of your own can add them.',
        ]),
  ];
}
