import { randomBytes } from 'node:crypto';
import type { Config } from '../../domain/config/config-schema.ts';
import type { ModelApi, ModelProvider } from '../../domain/config/known-clis.ts';
import { listConfiguredAgents } from '../../domain/config/role-adapter-and-model.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { type Adapter, findModelApiOfAdapter } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { openEgressLog } from '../egress/egress-rules.ts';
import { getDialect } from '../gateway/dialects/get-dialect.ts';
import { type Gateway, startGateway } from '../gateway/gateway.ts';
import type { GatewayOptions } from '../gateway/gateway-options.ts';
import type { HintSource } from '../gateway/hint-inserter.ts';
import { missingCredentialError } from '../gateway/model-credential.ts';
import { type ModelApiRoute, readUpstream, type Upstream } from '../gateway/upstream-model-api.ts';
import { egressLogFile, type RunFolder } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import { openHintsFolder } from './hints.ts';
import type { Latch } from './latch.ts';

/** How an agent with this model asks it. */
export interface ModelAccess {
  readonly route: ModelApiRoute;
  /** The model's name as the API knows it. */
  readonly model: string;
  /** See ModelApi. */
  readonly helper: string | null;
}

/**
 * Where a model is asked, null for an adapter that asks none; `upstream` takes the place of the one the person's
 * environment names. Throws FlameError `unknown-model`, `no-credential`, `bad-credential` or `bad-base-url`.
 */
export function resolveModelAccess(
  { env }: Pick<RunnerContext, 'env'>,
  adapter: Adapter,
  { model, upstream }: { readonly model: string; readonly upstream?: Upstream | undefined },
): ModelAccess | null {
  if (adapter.apis.length === 0) return null;
  const api = findModelApiOfAdapter(adapter, model);
  if (api === null) throw unknownModel(adapter, model);
  const missing = upstream === undefined ? missingCredentialError(env, api.provider) : null;
  if (missing !== null) throw missing;
  return {
    route: {
      prefix: api.prefix,
      upstream: upstream ?? readUpstream(env, api.provider),
      dialects: api.dialects.map(getDialect),
    },
    model: model.slice((api.named ?? '').length),
    helper: api.helper ?? null,
  };
}

/** Whose models the roles of the configuration ask with an adapter; where none does, all it could ask. */
export function listConfiguredProviders(
  { config }: Pick<RunnerContext, 'config'>,
  adapter: Adapter,
): readonly ModelProvider[] {
  const models = modelsWith(config, adapter);
  const apis: readonly ModelApi[] =
    models.length === 0
      ? adapter.apis.slice(0, 1)
      : models.map((model) => findModelApiOfAdapter(adapter, model)).filter((api) => api !== null);
  return [...new Set(apis.map(({ provider }) => provider))];
}

/** Why a role with this adapter can't ask the model it is configured with; null: each can. */
export function unknownRoleModelError({ config }: Pick<RunnerContext, 'config'>, adapter: Adapter): FlameError | null {
  if (adapter.apis.length === 0) return null;
  const unknown = modelsWith(config, adapter).find((model) => findModelApiOfAdapter(adapter, model) === null);
  return unknown === undefined ? null : unknownModel(adapter, unknown);
}

/** The models that roles and groups of the configuration ask with an adapter. */
function modelsWith(config: Config, { name }: Adapter): readonly string[] {
  return listConfiguredAgents(config)
    .filter(({ adapter }) => adapter === name)
    .map(({ model }) => model);
}

/** The first credential that the roles with this adapter lack; null: none. */
export function missingRoleCredentialError(context: RunnerContext, adapter: Adapter): FlameError | null {
  const missing = listConfiguredProviders(context, adapter).map((one) => unusableProviderError(context.env, one));
  return missing.find((error) => error !== null) ?? null;
}

/** Why a provider can't be asked from this environment; null: it can. */
export function unusableProviderError(env: RunnerContext['env'], provider: ModelProvider): FlameError | null {
  const missing = missingCredentialError(env, provider);
  if (missing !== null) return missing;
  try {
    readUpstream(env, provider);
    return null;
  } catch (error) {
    if (error instanceof FlameError) return error;
    throw error;
  }
}

function unknownModel({ name, apis }: Adapter, model: string): FlameError {
  const beginnings = apis.flatMap(({ named }) => (named === undefined ? [] : [named]));
  const why =
    beginnings.length === 0 ? 'that is a name for claude.' : `names of its models begin with ${beginnings.join(', ')}.`;
  return new FlameError({
    kind: 'refused',
    code: 'unknown-model',
    message: `The adapter ${name} can't ask the model ${JSON.stringify(model)}: ${why}`,
    hints: ['In .blueflame.yml, name one of its models for each role that runs with it: models: { worker: … }'],
  });
}

const canaryPatienceMs = 5_000;

/** The facts of an agent that its gateway needs. */
export interface AgentGatewayRequest
  extends Pick<GatewayOptions, 'onSpending' | 'onUnderWay' | 'sharesUsd' | 'share' | 'giveBack' | 'onRefused'> {
  readonly adapter: Adapter;
  readonly request: AgentRequest;
  readonly folder: RunFolder;
}

interface GatewayParts extends Pick<GatewayOptions, 'socketPath' | 'token' | 'inspect' | 'onForbidden'> {
  readonly canary: Latch;
  readonly onHint: HintSource['report'];
}

/** Opens an agent's way to its model. */
export function openGateway(
  context: RunnerContext,
  service: AgentGatewayRequest,
  access: ModelAccess,
  { socketPath, canary, onHint, ...options }: GatewayParts,
): Promise<Gateway> {
  const { request } = service;
  const { budget, id, policy, role } = request;
  return startGateway({
    ...options,
    hints: {
      ...openHintsFolder(service.folder),
      report: (news) => {
        onHint(news);
        request.onHint?.(news);
      },
    },
    socketPath,
    secret: randomBytes(16).toString('hex'),
    routes: [access.route],
    allowedTools: policy.allowed_tools.filter((tool) => !policy.blocked_tools.includes(tool)),
    tokenLimit: budget.unit === 'tokens' ? budget.limit : 0,
    usdLimit: budget.unit === 'usd' ? budget.limit : 0,
    isWatched: () => (service.adapter.calls !== null ? canary.within(canaryPatienceMs) : Promise.resolve(true)),
    onSpending: service.onSpending,
    onUnderWay: service.onUnderWay,
    sharesUsd: service.sharesUsd,
    share: service.share,
    giveBack: service.giveBack,
    onRefused: service.onRefused,
    configuredModel: {
      role,
      model: access.model,
      helper: access.helper,
      prices: context.config.models.prices,
    },
    log: openEgressLog(egressLogFile(context.repository.commonDir, id), context.now),
    now: context.now,
  });
}
