import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { parseConfig } from '../../lib/config/load-config.ts';
import { listAdapterDecisions } from '../../lib/core/admission/make-decisions.ts';
import { parseAgentId, parseSessionId, type SessionId } from '../../lib/domain/ids.ts';
import type { AgentOutcome, AgentRequest, AgentRunner } from '../../lib/domain/ports/agent-port.ts';
import type { Gates } from '../../lib/domain/ports/gates.ts';
import { emptyMemoryProvider } from '../../lib/domain/state/memory.ts';
import { planSchema } from '../../lib/domain/state/plan-schema.ts';
import type { RunEventBody } from '../../lib/domain/view-models/run-event.ts';
import { createGracefulStop } from '../../lib/engine/graceful-stop.ts';
import { turnPlanIntoTasks } from '../../lib/engine/plan/turn-plan-into-tasks.ts';
import type { RunContext } from '../../lib/engine/run-context.ts';
import { createRunMemory } from '../../lib/engine/run-memory.ts';
import { createSession } from '../../lib/engine/session/create-session.ts';
import { findBaseBranch } from '../../lib/engine/work/preflight.ts';
import { openGit } from '../../lib/git/open-git.ts';
import { type AdmissionStore, openAdmissionStore } from '../../lib/store/admission/admission-store.ts';
import { openStore } from '../../lib/store/open-store.ts';
import type { LocalStore } from '../../lib/store/store-options.ts';
import { openDecisionLog } from '../../lib/trust/decisions/open-decision-log.ts';
import { makeRepo, type TestRepo } from './repo.ts';

/** What an agent comes to; it may write into `request.worktree.path` first. */
export type FakeAgent = (request: AgentRequest, attempt: number) => Partial<AgentOutcome>;

export interface TestWorkshop {
  readonly repo: TestRepo;
  readonly context: RunContext;
  /** The state as the notes say it, and as anybody may write them. */
  readonly said: LocalStore;
  /** Changes what the workshop's store trusts. */
  readonly admitBy: AdmissionStore['admitBy'];
  readonly session: SessionId;
  readonly events: readonly RunEventBody[];
  /** Agents in the order they started, and when by the workshop's clock. */
  readonly started: readonly { readonly task: string | null; readonly role: string; readonly at: number }[];
}

const opened: { close(): Promise<void> }[] = [];

/** To be called once a file's tests are over, however they ended. */
export async function closeWorkshops(): Promise<void> {
  await Promise.all(opened.splice(0).map((port) => port.close()));
}

export const startOfTime = Date.parse('2026-02-06T14:30:00Z');

/**
 * An engine on a real repository, with agents that are functions and a clock that stands still but for waits,
 * which take no time. Its session has a plan of these tasks.
 */
export async function openTestWorkshop(options: {
  readonly agent: FakeAgent;
  readonly tasks: readonly Readonly<Record<string, unknown>>[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly gates?: Partial<Gates>;
  /** The person stops the program, twice at once. */
  readonly stop?: AbortSignal;
  readonly onEvent?: (body: RunEventBody) => void;
  /** On the base before the session begins. */
  readonly files?: Readonly<Record<string, string>>;
}): Promise<TestWorkshop> {
  const repo = makeRepo();
  for (const [path, text] of Object.entries(options.files ?? {})) repo.write(path, text);
  if (options.files !== undefined) repo.commit('files');
  const gitContext = { cwd: repo.path, env: repo.env };
  const calls = makeCalls();
  const git = counted(await openGit(gitContext, undefined, { hurry: options.stop }), calls);
  const { commonDir, objectFormat } = git.repository;
  let now = startOfTime;
  const storing = { context: gitContext, commonDir, objectFormat, now: () => new Date(now) };
  const decided = openDecisionLog({ env: repo.env, commonDir });
  const said = await openStore(storing);
  const admission = openAdmissionStore(said, { ...storing, decided });
  const store = counted(admission, calls);
  opened.push(git, store);
  const { config, digest } = parseConfig(stringify({ schema_version: 1, ...options.config }), 'test.yml');
  const events: RunEventBody[] = [];
  const started: { task: string | null; role: string; at: number }[] = [];
  const counts = new Map<string | null, number>();
  const context: RunContext = {
    config,
    configDigest: digest,
    configChanges: async () => [],
    reload: async () => context,
    git,
    store,
    agents: fakeRunner((request) => {
      const attempt = (counts.get(request.task) ?? 0) + 1;
      counts.set(request.task, attempt);
      started.push({ task: request.task, role: request.role, at: now });
      return options.agent(request, attempt);
    }),
    gates: fakeGates(options.gates ?? {}),
    events: {
      emit: (body) => {
        events.push(body);
        options.onEvent?.(body);
      },
    },
    prompts: {
      render: () => ({ system: '', prompt: '' }),
      lastWord: ({ objections, failing }) => [...objections, ...failing].join('\n'),
    },
    machine: {
      freeMemoryMb: () => 100_000,
      freeDiskMb: async () => 100_000,
      sleep: async (ms, signal) => {
        await untilQuiet(calls, signal);
        if (!signal.aborted) now += ms;
      },
      prepareFiles: async () => [],
      trackFiles: async () => ({ readNew: async function* () {} }),
      canWrite: async () => true,
      runScript: async () => ({ exitCode: 0, output: '' }),
    },
    adapter: (name) => getAdapter(name, config),
    now: () => new Date(now),
    random: () => 0,
    newAgentId: (role) => parseAgentId(`${role}-${randomBytes(4).toString('hex')}`),
    newSessionId: () => parseSessionId('ses-20260206-143000-1a2b'),
    memory: emptyMemoryProvider,
    signal: options.stop ?? new AbortController().signal,
    landInTurn: (work) => work(),
    place: 'here',
    decided,
    gracefulStop: createGracefulStop(),
    run: createRunMemory(),
    proofs: new Map(),
    trialCache: { read: async () => null, write: async () => undefined },
    root: repo.path,
  };
  const session = context.newSessionId();
  const base = await findBaseBranch(context);
  await createSession(context, session, { objective: 'Test', base, isBeside: false });
  const plan = planSchema.parse({ tasks: options.tasks });
  // As a person's own plan file: their word on its adapters too.
  const chosen = plan.tasks.flatMap((task) => listAdapterDecisions({ ...task, session }));
  await turnPlanIntoTasks(context, session, plan, { accepted: chosen });
  const { admitBy } = admission;
  return { repo, context, said, admitBy, session, events, started };
}

/** Calls that are under way, and who waits for their end. */
interface Calls {
  begin(): void;
  end(): void;
  areUnderWay(): boolean;
  /** Resolves once none is under way, or the signal aborts. */
  rest(signal: AbortSignal): Promise<void>;
}

function makeCalls(): Calls {
  let pending = 0;
  let waiting: (() => void)[] = [];
  return {
    begin: () => {
      pending += 1;
    },
    end: () => {
      pending -= 1;
      if (pending === 0) for (const wake of waiting.splice(0)) wake();
    },
    areUnderWay: () => pending > 0,
    rest: async (signal) => {
      if (pending === 0 || signal.aborted) return;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting = [...waiting, wake];
        signal.addEventListener('abort', wake);
      });
    },
  };
}

/** The same port, which counts its calls that are under way. */
function counted<Port extends object>(port: Port, calls: Calls): Port {
  return new Proxy(port, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...words: unknown[]) => {
        calls.begin();
        try {
          return await Reflect.apply(value, target, words);
        } finally {
          calls.end();
        }
      };
    },
  });
}

/** Resolves once nothing is under way and nothing follows, or the signal aborts. */
async function untilQuiet(calls: Calls, signal: AbortSignal): Promise<void> {
  for (let quiet = 0; quiet < 20 && !signal.aborted; quiet = calls.areUnderWay() ? 0 : quiet + 1) {
    await calls.rest(signal);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const quiet: AgentOutcome = {
  failure: null,
  exitCode: 0,
  answer: null,
  text: '',
  cost_usd: 0,
  tokens: 0,
  duration_ms: 0,
  audit: { allowed: 0, blocked: 0, top: [] },
  logFile: '',
};

function fakeRunner(run: (request: AgentRequest) => Partial<AgentOutcome>): AgentRunner {
  return {
    checkAdapter: async () => '1.0.0',
    sandbox: async () => ({ kind: 'bubblewrap', missing: [], cure: [] }),
    canary: async () => ({ denied: true, details: '' }),
    start: async (request) => ({
      id: request.id,
      pid: 1,
      outcome: Promise.resolve({ ...quiet, ...run(request) }),
      stop: async () => undefined,
    }),
    runCommand: async () => ({ exitCode: 0, timedOut: false, duration_ms: 0, output: '' }),
    auditOf: async () => quiet.audit,
    usedMemoryMb: () => [],
    listLiveAgents: async () => [],
    stop: async () => false,
    close: async () => undefined,
  };
}

function fakeGates(gates: Partial<Gates>): Gates {
  const nobody = (): never => {
    throw new Error('nobody was to be asked');
  };
  return {
    plan: nobody,
    validation: nobody,
    validatorFailed: nobody,
    changeset: nobody,
    session: nobody,
    budget: nobody,
    person: 'Lea Lead <lea@example.com>',
    isInteractive: false,
    ...gates,
  };
}
