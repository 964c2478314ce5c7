import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import { adapterNames } from '../../domain/config/known-clis.ts';
import { findRoleAdapter } from '../../domain/config/role-adapter-and-model.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { AgentOutcome, AgentToolServer } from '../../domain/ports/agent-port.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import { compilePolicy } from '../../policy/compile-policy.ts';
import { runAgent } from '../agents/run-agent.ts';
import { isBudgetStop } from '../agents/session-budget.ts';
import { type AgentJob, readReadme } from '../agents/start-agent-for-job.ts';
import { isInterrupted } from '../graceful-stop.ts';
import { askAboutProposedPlan } from '../plan/plan-wave.ts';
import { decideAndRecord, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, warn, warnOnce } from '../run-context.ts';
import { recallForPlanner } from '../session/remember-session.ts';
import { readBaseTip } from '../start-point.ts';
import { workInScratchWorktree } from '../validate/run-diagnostics.ts';

/** The tools that one lead agent calls, and what came of it. */
export interface LeadToolServer extends AgentToolServer {
  /** Result of the lead agent; null: it has not ended. */
  readonly outcome: 'completed' | 'failed' | null;
  /** A question that only an absent person could have answered: the run ends with it. */
  readonly waits: FlameError | null;
  /** Whether its CLI ever connected to the tools. */
  readonly isReached: boolean;
  /** Resolves once what it started has ended. */
  close(): Promise<void>;
}

/** Opens the tools of one agent that leads a session; `stop` ends that agent. */
export type OpenLeadTools = (lead: {
  readonly context: RunContext;
  readonly session: SessionId;
  readonly by: AgentId;
  stop(): void;
}) => Promise<LeadToolServer>;

const maxFiles = 400;

/**
 * Has an agent lead the session from where it is, in a cell of its own, until it hands over, gives up, fails or has no
 * budget left. What it did not do is left to the deterministic waves (`queen.on_exit`), which take every approved task
 * then. Throws what a gate throws that can't be answered.
 */
export async function runLeadAgent(context: RunContext, id: SessionId, open: OpenLeadTools): Promise<void> {
  const view = await viewSession(context, id);
  if (isHandedOver(view)) return;
  requireAdapterThatCanLead(context);
  warnOfLooseLeadAgentRules(context);
  // An agent that waits for a person is not paid for.
  if (view.session.proposal !== null) await askAboutProposedPlan(context, id);
  if ((await viewSession(context, id)).session.state !== 'active') return;
  context.events.emit({ event: 'wave-started', wave: 'queen', cycle: view.session.cycle });
  context.run.assigned = new Set();
  try {
    await lead(context, id, open);
  } finally {
    context.run.assigned = null;
  }
}

function isHandedOver({ session, tasks }: SessionView): boolean {
  if (session.state === 'ended') return true;
  if (listChangesetsOfCycle(session).some(isChangesetOpen)) return true;
  return session.cycle > 0 && tasks.every(({ status }) => status === 'merged' || status === 'dropped');
}

/** Throws FlameError `no-leader` where agents of the adapter that would lead can't be held to our tools. */
export function requireAdapterThatCanLead({ config, adapter }: Pick<RunContext, 'config' | 'adapter'>): void {
  const name = findRoleAdapter(config, 'queen');
  const why = adapter(name).cannotLead;
  if (why === null) return;
  const leaders = adapterNames.filter((one) => adapter(one).cannotLead === null).join(', ');
  throw refusedError('no-leader', `Agents of ${name} can't lead a session: ${why}.`, [
    `In .blueflame.yml, with one of ${leaders}: roles: { queen: { adapter: claude } }`,
    'git flame run',
  ]);
}

/** Warns once, before anything is done, of what the configuration leaves to a lead agent beyond the built-in rules. */
export function warnOfLooseLeadAgentRules(context: Pick<RunContext, 'config' | 'events' | 'run'>): void {
  const { ask_in_chat: asked, may_drop: mayDrop } = context.config.queen;
  const asks = 'a yes in the chat approves the plan it shows (queen.ask_in_chat)';
  const drops = 'it may drop approved tasks without asking (queen.may_drop)';
  const left = [...(asked.includes('plan') ? [asks] : []), ...(mayDrop ? [drops] : [])];
  if (left.length > 0) warnOnce(context, `The lead agent may decide more than by default: ${left.join('; ')}.`);
}

async function lead(context: RunContext, id: SessionId, open: OpenLeadTools): Promise<void> {
  const by = context.newAgentId('queen');
  const { session } = await viewSession(context, id);
  // Its waits end with it, and it ends with a run that is stopped.
  const stopping = new AbortController();
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  const tools = await open({ context, session: id, by, stop: () => stopping.abort() });
  let outcome: AgentOutcome | null = null;
  let trouble: unknown = null;
  try {
    outcome = await workInScratchWorktree(
      context,
      await readBaseTip(context, session),
      async (cell) => runAgent({ ...context, signal }, await jobOf(context, id, { by, cell, tools })),
      { name: by },
    );
  } catch (error) {
    trouble = error;
  } finally {
    await tools.close();
  }
  if (tools.waits !== null) throw tools.waits;
  // The session is stopped then, in order.
  if (trouble !== null && isBudgetStop(trouble)) return;
  if (trouble !== null && context.signal.aborted) throw trouble;
  if (trouble !== null && isInterrupted(trouble) && !stopping.signal.aborted) throw trouble;
  if (tools.outcome === null) await endLead(context, id, by, whyEnded(outcome, trouble, tools));
}

async function jobOf(
  context: RunContext,
  id: SessionId,
  { by, cell, tools }: { readonly by: AgentId; readonly cell: CellWorktree; readonly tools: LeadToolServer },
): Promise<AgentJob> {
  const { config, git } = context;
  const { session, tasks } = await viewSession(context, id);
  const readme = await readReadme(context, cell.base);
  return {
    id: by,
    session: id,
    role: 'queen',
    adapter: findRoleAdapter(config, 'queen'),
    task: null,
    cell,
    policy: compilePolicy({ config, role: 'queen', agentId: by, worktree: cell.path, fileLocks: [] }),
    tools,
    isReadOnly: true,
    prompt: {
      role: 'queen',
      objective: session.objective,
      files: (await git.listFiles(cell.base, maxFiles)).join('\n'),
      readme: readme.slice(0, 4_000),
      memory: await recallForPlanner(context, session.objective),
      notes: session.sent_back?.notes ?? [],
      tasks: tasks.map(
        ({ id: task, title, status, reason }) =>
          `${task} is ${status}: ${title}${reason === null ? '' : ` (${reason})`}`,
      ),
      maxParallel: config.concurrency.development,
    },
  };
}

function whyEnded(
  outcome: AgentOutcome | null,
  trouble: unknown,
  { isReached }: Pick<LeadToolServer, 'isReached'>,
): string {
  if (trouble instanceof Error) return trouble.message;
  if (outcome !== null && outcome.failure !== null) return outcome.failure.message;
  return isReached ? 'It ended without handing the work over.' : 'Its CLI never connected to the tools of git-flame.';
}

/** Reports that the agent ended before the work did, and stops the session where the configuration wants that. */
async function endLead(context: RunContext, id: SessionId, by: AgentId, why: string): Promise<void> {
  const stops = context.config.queen.on_exit === 'stop';
  const then = stops ? 'The session stops (queen.on_exit).' : 'The session continues without it.';
  warn(context, `${by} no longer leads: ${why} ${then}`);
  if (!stops) return;
  const subject = `session: stopped, ${by} no longer leads`;
  await decideAndRecord(context, id, ({ session }) =>
    session.state === 'active' ? { session: { next: { ...session, state: 'stopped' }, subject } } : null,
  );
}
