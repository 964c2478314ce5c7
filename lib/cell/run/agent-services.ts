import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { adapterTalksToModel, type PathsInsideCell } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { bridgeFile, buildBridgeCommand } from '../egress/open-egress.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { foldersShownInsideCell } from '../probes/probe-watcher.ts';
import type { Confinement, RunnerContext, WatcherClient } from '../runner-context.ts';
import type { CellProfile } from '../sandbox/bwrap-profile.ts';
import { makeSocketFolder } from '../watcher/socket-folder.ts';
import { type AgentCallJudge, type AgentCallJudgeOptions, startAgentCallJudge } from './agent-judge.ts';
import { type AgentTools, defaultAgentShell, layOutTools, passwdPath } from './agent-tools.ts';
import { buildFinalCheckHookCommand, openFinalCheckSocket } from './final-check-socket.ts';
import { createLatch } from './latch.ts';
import { type AgentGatewayRequest, type ModelAccess, openGateway } from './model-access.ts';

type SpendingReports = Pick<Gateway, 'tokens' | 'cost' | 'underWay' | 'limit' | 'trouble'>;

/** The services for one agent outside its cell: the gateway to the model, and the judge of its calls. */
export interface AgentServices extends SpendingReports {
  readonly paths: Pick<
    PathsInsideCell,
    'baseUrl' | 'apiKey' | 'shell' | 'hookCommand' | 'endCommand' | 'canaryCommand' | 'toolsCommand'
  >;
  /** The setting that puts its git's hooks in force; null where it commits nothing. See writeGitHooks. */
  readonly hooksConfig: string | null;
  readonly mounts: CellProfile['mounts'];
  readonly doors: CellProfile['doors'];
  /** Programs the services need foldersShownInsideCell. */
  readonly programs: readonly string[];
  /** Puts the bridge to the gateway before the agent, where it needs one. */
  wrap(argv: readonly string[]): readonly string[];
  sawCanary(): boolean;
  close(): Promise<void>;
}

interface ServiceRequest extends AgentCallJudgeOptions, AgentGatewayRequest {
  readonly confinement: Confinement;
  /** null: it asks no model. */
  readonly access: ModelAccess | null;
  /** See AgentRequest.finalCheck; absent: it is not held at its end. */
  readonly finalCheck?: AgentRequest['finalCheck'];
}

// Any port does: each cell has its own loopback. Not one a project's own server would take.
const bridgePort = 47_113;
const doorFile = 'tools.sock';
const endFile = 'end.sock';
// The CLI remembers the last 20 characters of a key in a file that commands can read: these reveal nothing.
const tokenEnd = 'inside-the-cell-only';

/** Starts what the agent needs; nothing for one that talks to no model, has no hooks and commits nothing. */
export async function startServices(context: RunnerContext, service: ServiceRequest): Promise<AgentServices> {
  const { adapter, request } = service;
  const canCommit = request.policy.can_write;
  if (!adapterTalksToModel(adapter) && adapter.calls === null && !canCommit) return noServices;
  const isCell = service.confinement === 'bubblewrap';
  const client = await findClient(context, service);
  const sockets = makeSocketFolder(service.folder);
  const shown = isCell ? foldersShownInsideCell.sockets : sockets.path;
  // Before anything listens: on a full disk it throws, and nothing may be left over.
  const tools = layOutTools(context.distDir, {
    folder: service.folder,
    confinement: service.confinement,
    client,
    canCommit,
    socket: join(shown, 'judge.sock'),
    isServed: adapterTalksToModel(adapter),
  });
  return serve(context, service, { client, sockets, shown, tools });
}

interface Served {
  readonly client: WatcherClient | null;
  readonly sockets: ReturnType<typeof makeSocketFolder>;
  /** Where its cell shows the sockets. */
  readonly shown: string;
  readonly tools: AgentTools;
}

async function serve(
  context: RunnerContext,
  service: ServiceRequest,
  { client, sockets, shown, tools }: Served,
): Promise<AgentServices> {
  const { adapter, request } = service;
  const isCell = service.confinement === 'bubblewrap';
  const token = `${randomBytes(32).toString('hex')}-${tokenEnd}`;
  const canary = createLatch();
  const judge = client === null ? null : await startAgentCallJudge(context, service, { sockets: sockets.path, canary });
  const gateway =
    service.access !== null
      ? await openGateway(context, service, service.access, {
          socketPath: isCell ? join(sockets.path, 'gateway.sock') : null,
          canary,
          token,
          ...judged(judge),
        })
      : null;
  const door = (await request.tools?.listen(join(sockets.path, doorFile))) ?? null;
  const onObjections = (about: readonly string[]): void => judge?.auditFinalCheck(about);
  const end = await openFinalCheckSocket(service, { file: join(sockets.path, endFile), onObjections });
  const asked = adapter.calls !== null ? tools.watcher : null;
  const bridge = join(tools.inside, bridgeFile);
  return {
    paths: {
      baseUrl: gateway === null ? null : isCell ? `http://127.0.0.1:${bridgePort}` : gateway.url,
      apiKey: token,
      shell: tools.shell,
      hookCommand: asked,
      endCommand: end === null ? null : buildFinalCheckHookCommand(bridge, join(shown, endFile)),
      canaryCommand: asked === null ? null : `${asked} --canary`,
      toolsCommand: door === null ? null : [process.execPath, bridge, '--stdio', join(shown, doorFile)],
    },
    hooksConfig: tools.hooksConfig,
    mounts: isCell ? mountsOf(sockets.path, tools) : [],
    doors: {
      sockets: [client && join(shown, 'judge.sock'), door && join(shown, doorFile), end && join(shown, endFile)].filter(
        (path) => path !== null,
      ),
      ports: gateway === null || isCell ? [] : [Number(new URL(gateway.url).port)],
    },
    programs: [process.execPath],
    wrap: (argv) => {
      if (gateway === null || !isCell) return argv;
      const socket = join(foldersShownInsideCell.sockets, 'gateway.sock');
      return [...buildBridgeCommand(foldersShownInsideCell.tools, bridgePort, socket), ...argv];
    },
    ...spendingAt(gateway),
    sawCanary: canary.isRaised,
    close: async () => {
      canary.giveUp();
      await Promise.all([gateway?.close(), door?.close(), end?.close()]);
      // The last to note anything in the audit is the gateway.
      await judge?.close();
      await sockets.remove();
    },
  };
}

/** Returns the gateway's questions and reports to the judge. */
function judged(
  judge: AgentCallJudge | null,
): Pick<Parameters<typeof openGateway>[3], 'onHint' | 'inspect' | 'onForbidden'> {
  return {
    onHint: (news) => judge?.auditHint(news),
    inspect: (conversation) => judge?.wereAllCallsAllowed(conversation) ?? true,
    onForbidden: (refused) => judge?.auditForbiddenRequest(refused),
  };
}

function spendingAt(gateway: Gateway | null): SpendingReports {
  return {
    tokens: () => gateway?.tokens() ?? 0,
    cost: () => gateway?.cost() ?? 0,
    underWay: () => gateway?.underWay() ?? { tokens: 0, cost_usd: 0 },
    limit: () => gateway?.limit() ?? null,
    trouble: () => gateway?.trouble() ?? null,
  };
}

function mountsOf(sockets: string, { path, accounts }: AgentTools): AgentServices['mounts'] {
  return [
    { source: sockets, target: foldersShownInsideCell.sockets },
    { source: path, target: foldersShownInsideCell.tools },
    ...(accounts === null ? [] : [{ source: accounts, target: passwdPath }]),
  ];
}

const noServices: AgentServices = {
  paths: {
    baseUrl: null,
    apiKey: '',
    shell: defaultAgentShell,
    hookCommand: null,
    endCommand: null,
    canaryCommand: null,
    toolsCommand: null,
  },
  hooksConfig: null,
  mounts: [],
  doors: { sockets: [], ports: [] },
  programs: [],
  wrap: (argv) => argv,
  ...spendingAt(null),
  sawCanary: () => false,
  close: async () => undefined,
};

/** Finds the program that asks the judge; null where none has to. */
async function findClient(context: RunnerContext, { adapter, request }: ServiceRequest): Promise<WatcherClient | null> {
  if (adapter.calls !== null) return context.watcher();
  // Its git's hooks are quick feedback: it can do without.
  return request.policy.can_write ? context.watcher().catch(() => null) : null;
}
