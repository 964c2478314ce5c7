import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { adapterNames } from '../../domain/config/agent-clis.ts';
import { roleAdapter } from '../../domain/config/role-settings.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { AgentOutcome, ToolDoor } from '../../domain/ports/agent-port.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import { compilePolicy } from '../../policy/compile-policy.ts';
import { readReadme } from '../agents/read-readme.ts';
import { runAgent } from '../agents/run-agent.ts';
import { isBudgetStop } from '../agents/session-budget.ts';
import type { AgentJob } from '../agents/start-agent.ts';
import { isInterrupted } from '../interrupted.ts';
import { decideProposal } from '../plan/decide-proposal.ts';
import { record, type SessionView, viewSession } from '../record.ts';
import { recall } from '../session/remember.ts';
import { baseTip } from '../start-point.ts';
import { inScratch } from '../validate/run-diagnostics.ts';
import type { Workshop } from '../workshop.ts';
import { tellLeft } from './tell-left.ts';

/** Where an agent that leads calls from, and what came of it. */
export interface LeadDesk extends ToolDoor {
  /** How she ended it; null: she has not. */
  readonly outcome: 'completed' | 'failed' | null;
  /** What only the person could have answered, and nobody is there: the run ends with it. */
  readonly waits: FlameError | null;
  /** Whether her CLI ever came to the door of our tools. */
  readonly isReached: boolean;
  /** Resolves once what she started has ended. */
  close(): Promise<void>;
}

/** Opens the desk of one agent that leads a session; `stop` ends that agent. */
export type OpenLeadDesk = (lead: {
  readonly workshop: Workshop;
  readonly session: SessionId;
  readonly by: AgentId;
  stop(): void;
}) => Promise<LeadDesk>;

const maxFiles = 400;

/**
 * Has a model lead the session from where it is, in a cell of its own, until she hands over, gives up, fails or is
 * spent. What she did not do is left to the deterministic waves (`queen.on_exit`), which take every approved task then.
 * Throws what a gate throws that nobody can answer.
 */
export async function queenWave(workshop: Workshop, id: SessionId, open: OpenLeadDesk): Promise<void> {
  const view = await viewSession(workshop, id);
  if (isHandedOver(view)) return;
  requireLeader(workshop);
  tellLeft(workshop);
  // Nobody pays for a model that waits for a person.
  if (view.session.proposal !== null) await decideProposal(workshop, id);
  if ((await viewSession(workshop, id)).session.state !== 'active') return;
  workshop.events.emit({ event: 'wave-started', wave: 'queen', cycle: view.session.cycle });
  workshop.run.assigned = new Set();
  try {
    await lead(workshop, id, open);
  } finally {
    workshop.run.assigned = null;
  }
}

function isHandedOver({ session, tasks }: SessionView): boolean {
  if (session.state === 'ended') return true;
  if (changesetsOfCycle(session).some(({ state }) => state === 'waiting' || state === 'approved'))
    return true;
  return session.cycle > 0 && tasks.every(({ status }) => status === 'merged' || status === 'dropped');
}

/** Throws FlameError `no-leader` where agents of the adapter that is to lead can't be held to our tools. */
export function requireLeader({ config, adapter }: Pick<Workshop, 'config' | 'adapter'>): void {
  const name = roleAdapter(config, 'queen');
  const why = adapter(name).cannotLead;
  if (why === null) return;
  throw new FlameError({
    kind: 'refused',
    code: 'no-leader',
    message: `Agents of ${name} can't lead a session: ${why}.`,
    hints: [
      `In .blueflame.yml, with one of ${leaders({ adapter }).join(', ')}: roles: { queen: { adapter: claude } }`,
      'git flame run',
    ],
  });
}

function leaders({ adapter }: Pick<Workshop, 'adapter'>): readonly string[] {
  return adapterNames.filter((name) => adapter(name).cannotLead === null);
}

async function lead(workshop: Workshop, id: SessionId, open: OpenLeadDesk): Promise<void> {
  const by = workshop.newAgentId('queen');
  const { session } = await viewSession(workshop, id);
  // Waits of hers end with her, and so do the agents of a run that is stopped.
  const stopping = new AbortController();
  const signal = AbortSignal.any([workshop.signal, stopping.signal]);
  const desk = await open({ workshop, session: id, by, stop: () => stopping.abort() });
  let outcome: AgentOutcome | null = null;
  let trouble: unknown = null;
  try {
    outcome = await inScratch(
      workshop,
      await baseTip(workshop, session),
      async (cell) => runAgent({ ...workshop, signal }, await jobOf(workshop, id, { by, cell, desk })),
      { name: by },
    );
  } catch (error) {
    trouble = error;
  } finally {
    await desk.close();
  }
  if (desk.waits !== null) throw desk.waits;
  // The session is stopped then, in order.
  if (trouble !== null && isBudgetStop(trouble)) return;
  if (trouble !== null && workshop.signal.aborted) throw trouble;
  if (trouble !== null && isInterrupted(trouble) && !stopping.signal.aborted) throw trouble;
  await tellEnd(workshop, id, { by, desk, why: whyEnded(outcome, trouble, desk) });
}

async function jobOf(
  workshop: Workshop,
  id: SessionId,
  { by, cell, desk }: { readonly by: AgentId; readonly cell: CellWorktree; readonly desk: LeadDesk },
): Promise<AgentJob> {
  const { config, git } = workshop;
  const { session, tasks } = await viewSession(workshop, id);
  const readme = await readReadme(workshop, cell.base);
  return {
    id: by,
    session: id,
    role: 'queen',
    adapter: roleAdapter(config, 'queen'),
    task: null,
    cell,
    policy: compilePolicy({ config, role: 'queen', agentId: by, worktree: cell.path, fileLocks: [] }),
    tools: desk,
    isReadOnly: true,
    prompt: {
      role: 'queen',
      objective: session.objective,
      files: (await git.listFiles(cell.base, maxFiles)).join('\n'),
      readme: readme.slice(0, 4_000),
      memory: await recall(workshop, session.objective),
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
  { isReached }: Pick<LeadDesk, 'isReached'>,
): string {
  if (trouble instanceof Error) return trouble.message;
  if (outcome !== null && outcome.failure !== null) return outcome.failure.message;
  return isReached ? 'She ended without handing over.' : 'Her CLI never asked for our tools.';
}

/** What becomes of the session when she ends before the work does. */
async function tellEnd(
  workshop: Workshop,
  id: SessionId,
  { by, desk, why }: { readonly by: AgentId; readonly desk: LeadDesk; readonly why: string },
): Promise<void> {
  if (desk.outcome !== null) return;
  const stops = workshop.config.queen.on_exit === 'stop';
  workshop.events.emit({
    event: 'notice',
    level: 'warning',
    message: `${by} leads no more: ${why} ${stops ? 'The session stops (queen.on_exit).' : 'The session goes on without her.'}`,
  });
  if (!stops) return;
  await record(workshop, id, ({ session }) =>
    session.state === 'active'
      ? {
          session: {
            next: { ...session, state: 'stopped' },
            subject: `session: stopped, ${by} leads no more`,
          },
        }
      : null,
  );
}
