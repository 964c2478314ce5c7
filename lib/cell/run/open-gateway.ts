import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { Adapter } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { cappedEgress } from '../egress/egress-traffic.ts';
import { type Gateway, startGateway } from '../gateway/gateway.ts';
import type { EgressLine, GatewayOptions } from '../gateway/gateway-options.ts';
import type { HintSource } from '../gateway/place-hints.ts';
import { egressFile, type RunFolder } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import { openHints } from './hints.ts';
import type { Latch } from './latch.ts';
import type { ModelAccess } from './model-access.ts';

const canaryPatienceMs = 5_000;

/** The facts of an agent that its gateway needs. */
export interface GatewayRequest
  extends Pick<
    GatewayOptions,
    'onSpending' | 'onUnderWay' | 'sharesUsd' | 'share' | 'giveBack' | 'onRefused'
  > {
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
  service: GatewayRequest,
  access: ModelAccess,
  { socketPath, canary, onHint, ...options }: GatewayParts,
): Promise<Gateway> {
  const { request } = service;
  const { budget, id, policy, role } = request;
  const file = egressFile(context.repository.commonDir, id);
  return startGateway({
    ...options,
    hints: {
      ...openHints(service.folder),
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
    isWatched: () =>
      service.adapter.calls !== null ? canary.within(canaryPatienceMs) : Promise.resolve(true),
    onSpending: service.onSpending,
    onUnderWay: service.onUnderWay,
    sharesUsd: service.sharesUsd,
    share: service.share,
    giveBack: service.giveBack,
    onRefused: service.onRefused,
    meant: { role, model: access.model, helper: access.helper, prices: context.config.models.prices },
    log: cappedEgress((line) => appendEgress(file, context.now(), line)),
    now: context.now,
  });
}

function appendEgress(file: string, at: Date, line: EgressLine): void {
  appendFileSync(file, `${JSON.stringify({ timestamp: at.toISOString(), ...line })}\n`, { mode: 0o600 });
}
