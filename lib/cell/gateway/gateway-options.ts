import type { ConfiguredModel } from '../../domain/config/configured-model.ts';
import type { RequestDemand, Spending } from '../../domain/state/spending.ts';
import type { ReportedConversation } from './dialects/dialect.ts';
import type { HintInserter, HintSource } from './hint-inserter.ts';
import type { ServiceLimit, ServiceTrouble } from './model-api-trouble.ts';
import type { PromptEstimator } from './model-request.ts';
import type { RequestLedger, RequestTurns } from './request-turns.ts';
import type { ModelApiRoute, Upstream } from './upstream-model-api.ts';

export interface GatewayOptions {
  /** null: a loopback port, for machines without network namespaces; `secret` is then part of the address. */
  readonly socketPath: string | null;
  readonly secret: string;
  /** The key that the agent's CLI was given: a request without it is refused. */
  readonly token: string;
  /** At least one. */
  readonly routes: readonly ModelApiRoute[];
  /** Tools of the agent's policy: some of them the model API runs itself. */
  readonly allowedTools: readonly string[];
  /** The model this agent runs with; the prices are the person's own. */
  readonly configuredModel: ConfiguredModel;
  /** 0: unlimited. */
  readonly tokenLimit: number;
  /** In USD; 0: unlimited. */
  readonly usdLimit: number;
  /** Whether what is shared with others is counted in USD. */
  readonly sharesUsd: boolean;
  /** Resolves to whether the agent's settings, and so its hooks, were accepted. */
  readonly isWatched: () => Promise<boolean>;
  onSpending(total: Spending): void;
  /** The most that requests under way may cost changes: one is about to be sent, or the cost of one is known. */
  onUnderWay(): void;
  /** Of a budget that others share: how many output tokens a request may have; null: it is refused. */
  readonly share: (id: symbol, demand: RequestDemand, isGone: () => boolean) => Promise<number | null>;
  /** The request is over. */
  readonly giveBack: (id: symbol) => void;
  /** A request was not sent, and none will be. */
  readonly onRefused: (why: AgentEndingRefusal) => void;
  /** A request was not sent for what it asks for. */
  readonly onForbidden: (request: ForbiddenRequest) => void;
  /** Judges the report of earlier calls in each request that is paid for; false: it is never sent. */
  readonly inspect: (conversation: ReportedConversation) => boolean;
  /** Hints of the person for the agent while it works. */
  readonly hints: HintSource;
  log(line: GatewayLogLine): void;
  now(): Date;
}

/** Why a request was not sent, or nothing more would come of it, where that ends the agent. */
export type AgentEndingRefusal =
  | 'budget'
  | 'session-budget'
  | 'canary-failed'
  | 'no-price'
  | 'service-limit'
  | 'rejected';

/** A request of who has the cell's key, which is not sent for what it asks for. */
export interface ForbiddenRequest {
  readonly rule: 'model-not-allowed' | 'request-not-allowed';
  /** The model it names, else where it would go: `POST /v1/batches`. */
  readonly target: string;
  /** Names what is not allowed in it, and what is. */
  readonly why: string;
}

/** One request that left, or would have left, the cell. */
export interface GatewayLogLine {
  readonly method: string;
  readonly path: string;
  /** null: the upstream could not be reached. */
  readonly status: number | null;
  readonly tokens: number;
  readonly refused: string | null;
}

/** The gateway's record of its requests. */
export interface GatewayAccount {
  noteAnswer(status: number, limit: ServiceLimit | null, upstream: Upstream): void;
  /** Notes the whole message of a refusal, at `now`; `isTurn`: of a turn of the agent. */
  noteLimit(limit: ServiceLimit, of: { readonly now: number; readonly isTurn: boolean }): void;
  /**
   * A turn of the agent was answered, or (`said`: the body) called wrong in a way that no waiting helps with. What a client asks beside
   * them, such as for a summary, says nothing of that.
   */
  noteTurnAnswered(said: string | null): void;
  noteTrouble(trouble: ServiceTrouble, isTurn: boolean): void;
  readonly hints: HintInserter;
  /** A request is more than the agent's own budget holds. */
  noteUnpaid(demand: RequestDemand): void;
  readonly history: PromptEstimator;
  readonly turns: RequestTurns;
  /** See RequestLedger. */
  readonly ledger: RequestLedger;
}

/** The input of each step of a request. */
export interface GatewayContext {
  readonly options: GatewayOptions;
  readonly account: GatewayAccount;
}

/** A request that is not sent: what its client is answered, and why, for the log. */
export interface RefusedModelRequest {
  readonly status: number;
  readonly why: string;
  readonly message: string;
}
