import type { SessionId } from '../domain/ids.ts';
import { findLandingBranch } from '../domain/state/session-facts.ts';
import { shortId } from '../util/short-names.ts';
import { findAdaptersUnusableHere } from './agents/require-usable-adapters.ts';
import { judgeForLeadMachine } from './judge-for-lead-machine.ts';
import { isBudgetSpentHere } from './machines/reserve-budget.ts';
import { superviseMachines } from './machines/supervise-machines.ts';
import { type SessionView, viewSession } from './record-changes.ts';
import { type RunContext, warnOnce } from './run-context.ts';
import type { RunningAttempts } from './work/running-attempts.ts';
import { listStartableTasks } from './work/select-next.ts';
import { findSpentBudget, startReady, type WavePart } from './work/wave-part.ts';
import { runWorkWave } from './work/work-wave.ts';

/** Work of a machine that joined, until the session has ended: tasks and verdicts, as far as it offers them. */
export function workForLeadMachine(context: RunContext, id: SessionId): Promise<void> {
  return runWorkWave(context, id, { part: makeJoinedPart(context, id) });
}

function makeJoinedPart(context: RunContext, id: SessionId): WavePart {
  return {
    open: () => viewSession(context, id),
    tend: () => superviseMachines(context, id),
    mayStart: async (view, running) => {
      if (view.session.state !== 'active') return 'stop';
      const pending = listStartableTasks(context, view).filter(({ status }) => status === 'pending');
      await findAdaptersUnusableHere(context, pending);
      return (await hasBase(context, view)) && hasBudgetLeft(context, view, running) ? 'yes' : 'wait';
    },
    start: (view, running) => {
      if (context.remoteSession?.roles.includes('work') === true) startReady(context, view, running);
      judgeForLeadMachine(context, view, running);
    },
    awaits: (view) => describeWait(context, view),
  };
}

/** Whether the commit that work starts from is here: brings it where the lead landed something since the last one. */
async function hasBase(context: RunContext, { session }: SessionView): Promise<boolean> {
  const { git, remoteSession } = context;
  const isHere = async (): Promise<boolean> => (await git.resolveCommit(session.base_commit)) !== null;
  if (remoteSession === undefined || (await isHere())) return true;
  const branch = findLandingBranch(session);
  await remoteSession.fetchBranchCommits(branch);
  if (await isHere()) return true;
  // Its server ended between the two, or the branch was reset: its lead asks the person about that.
  const message = `${branch} at ${remoteSession.remote} does not hold ${shortId(session.base_commit)}, which the session records as its tip. No task starts here until it does.`;
  warnOnce(context, message);
  return false;
}

/** Whether this machine may start what comes next. Its lead's person is asked, where it is the budget of all. */
function hasBudgetLeft(context: RunContext, view: SessionView, running: RunningAttempts): boolean {
  const isShareSpent = isBudgetSpentHere(context, view.session);
  if (!isShareSpent && findSpentBudget(context, view, running) === null) return true;
  const what = isShareSpent ? 'This machine has spent its share of the session budget' : 'The session budget is spent';
  warnOnce(context, `${what}: no more paid work starts here.`);
  return false;
}

function describeWait({ gracefulStop }: RunContext, { session }: SessionView): string | null {
  if (gracefulStop.isRequested() || session.state !== 'active') return null;
  const lead = session.machines?.lead ?? 'the lead machine';
  return `No task for this machine now. It waits for the next one from ${lead} and stops with the session. Ctrl-C leaves the session.`;
}
