import { renderPlanYaml } from '../../config/plan-file.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { LeadTool } from '../../domain/lead-tools.ts';
import { leaveNote } from '../../engine/blackboard/leave-note.ts';
import { giveUpSessionByLeadAgent, handOverSession } from '../../engine/lead-agent/hand-over.ts';
import {
  approveTaskAsLeadAgent,
  dropTasksAsLeadAgent,
  isUnjudgedByValidators,
  rejectTaskAsLeadAgent,
} from '../../engine/lead-agent/judge-tasks.ts';
import { unjudgedTaskHint } from '../../engine/lead-agent/lead-tool-errors.ts';
import {
  proposeTaskRemoval,
  proposeTasks,
  requireLeadCanChangeSession,
} from '../../engine/lead-agent/propose-tasks.ts';
import {
  listRepositoryFolder,
  readCommitFileForLead,
  searchRepository,
} from '../../engine/lead-agent/read-repository.ts';
import { assignTasks } from '../../engine/lead-agent/work-on-assigned.ts';
import { askAboutProposedPlan } from '../../engine/plan/plan-wave.ts';
import { listTasksReplacedByPlan } from '../../engine/plan/turn-plan-into-tasks.ts';
import { viewSession } from '../../engine/record-changes.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { toPrintableText } from '../../ui/text/printable-text.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import {
  adviseAfterPlanChange,
  describeSessionForLead,
  openTaskFilesReader,
  readTaskReportPage,
} from './describe-session.ts';
import type { LeadSession, LeadWriteContext } from './lead-session.ts';
import type { CallContext, FormQuestion, ToolOutputOrQuestion } from './tool-outputs.ts';
import type { LeadToolInput } from './tool-table.ts';
import { waitForWorkers } from './wait-for-workers.ts';

type Calls = {
  readonly [Name in LeadTool]: (
    lead: LeadSession,
    input: LeadToolInput<Name>,
    call: CallContext,
  ) => Promise<ToolOutputOrQuestion<Name>>;
};

const mostNamed = 100;
/** A longer plan is not read in a form, and a plan that was not shown whole can't be approved. */
const longestForm = 12_000;

/** The call of each tool; every rule of it is the engine's. All throw FlameErrors. */
export const leadToolCalls: Calls = {
  create_tasks: (lead, { objective = null, tasks }, call) => {
    const planned = tasks.map((task) => ({ ...task, model: null, adapter: null }));
    return lead.act(
      async (acting) => {
        const { context, session } = acting;
        const changed = await proposeTasks(context, session, { tasks: planned, by: lead.host.by });
        return afterProposal(lead, acting, changed, call);
      },
      { objective, tasks: planned },
    );
  },

  drop_tasks: (lead, { task_ids: ids, reason }, call) =>
    lead.act(async (acting) => {
      const { context, session } = acting;
      const { by } = lead.host;
      const { proposal } = (await viewSession(context, session)).session;
      if (proposal !== null || !context.config.queen.may_drop)
        return afterProposal(lead, acting, await proposeTaskRemoval(context, session, { ids, by }), call);
      await dropTasksAsLeadAgent(context, session, { ids, reason, by });
      const next = adviseAfterPlanChange(await viewSession(context, session), lead);
      return { changed: ids, dropped: ids, plan: 'approved', next };
    }),

  assign_task: (lead, { task_ids = null }) =>
    lead.act(async (acting) => {
      const { context, session } = acting;
      const assigned = await assignTasks(context, session, task_ids);
      // Works that a killed run took in without a verdict wait for validation too.
      const view = await viewSession(context, session);
      const unjudged = view.tasks.filter(({ status, result }) => status === 'done' && result.status === null);
      const left = unjudged.filter((task) => isUnjudgedByValidators(view, task)).map(({ id }) => id);
      const isAny = assigned.length > 0 || unjudged.length > left.length;
      if (isAny) lead.startWork(acting);
      const none = left.length > 0 ? unjudgedTaskHint : 'None of them is pending: get_status';
      return {
        assigned,
        ...(left.length === 0 ? {} : { validators_gave_no_verdict: left }),
        next: isAny ? 'wait_for_workers' : none,
      };
    }),

  wait_for_workers: waitForWorkers,

  get_status: async (lead, { cursor }) => {
    const { config, view } = await lead.host.look();
    if (view === null) return { session: null, next: 'create_tasks with an objective starts a session' };
    return describeSessionForLead(config, view, { cursor, trouble: lead.trouble });
  },

  get_task_output: async (lead, input) => readTaskReportPage(await lead.host.look(), input),

  approve_task: (lead, { task_id: task, commit, feedback }) =>
    lead.act(async ({ context, session }) => {
      const judging = { task, commit, feedback, by: lead.host.by };
      return { approved: task, changed: await approveTaskAsLeadAgent(context, session, judging) };
    }),

  reject_task: (lead, { task_id: task, commit, feedback }) =>
    lead.act(async ({ context, session }) => {
      const changed = await rejectTaskAsLeadAgent(context, session, {
        task,
        commit,
        feedback,
        by: lead.host.by,
      });
      return { rejected: task, changed, next: 'assign_task starts the next attempt' };
    }),

  leave_note: (lead, { text, task_ids: tasks = [], paths = [] }) =>
    lead.act(async ({ context, session }) => {
      const said = { text, tasks, paths, by: lead.host.by, requireMay: requireLeadCanChangeSession };
      const { note, isNew } = await leaveNote(context, session, said);
      return { note: note.id, changed: isNew };
    }),

  read_file: async (lead, input) => readCommitFileForLead(await openTaskFilesReader(lead, input.task_id), input),

  list_files: async (lead, input) => listRepositoryFolder(await openTaskFilesReader(lead, input.task_id), input),

  search_files: async (lead, { ignore_case: ignoresCase, ...input }) =>
    searchRepository(await openTaskFilesReader(lead, input.task_id), { ...input, ignoresCase }),

  complete: (lead, { summary }) =>
    lead.act(async ({ context, session }) => {
      const handing = { summary, by: lead.host.by };
      const done = await lead.actAlone(session, () => handOverSession(context, session, handing));
      if (done.conflicts > 0)
        return {
          ...done,
          next: 'Tasks conflicted and were sent back: get_status, assign_task, then complete again',
        };
      lead.host.end('completed');
      return { ...done, next: 'Nothing: the lead continues with git flame review' };
    }),

  fail: (lead, { reason }) =>
    lead.act(async ({ context, session }) => {
      const { by, askPlan } = lead.host;
      // Only a run starts its own lead agent for a session.
      const { isNew, view } = await giveUpSessionByLeadAgent(context, session, {
        reason,
        by,
        isAppointed: askPlan !== null,
      });
      lead.host.end('failed');
      const idsOf = (...statuses: readonly string[]) =>
        view.tasks.flatMap(({ id, status }) => (statuses.includes(status) ? [id] : [])).slice(0, mostNamed);
      return {
        stopped: session,
        changed: isNew,
        // No further task starts; those at work end and are kept like the rest.
        still_at_work: idsOf('claimed'),
        kept: {
          done: idsOf('done', 'merged'),
          failed: idsOf('failed', 'blocked'),
          not_done: idsOf('pending', 'requeued'),
        },
        for_lead: ['git flame run', 'git flame status'],
        next: 'Nothing: end, and report the reason to the lead. git flame run continues the session',
      };
    }),
};

/** Asks the person where that can be done here; else the answer names what waits for whom. */
async function afterProposal(
  lead: LeadSession,
  { context, session }: LeadWriteContext,
  changed: readonly string[],
  call: CallContext,
): Promise<ToolOutputOrQuestion<'create_tasks'>> {
  const before = await viewSession(context, session);
  if (before.session.proposal !== null) {
    const question = await (lead.host.askPlan?.(session) ?? askInForm(context, session, call));
    if (question) return question;
  }
  const view = await viewSession(context, session);
  const { proposal, cycle } = view.session;
  if (proposal !== null)
    return {
      changed,
      plan: 'waits for the lead',
      waiting: proposal.length,
      next: 'The lead decides with: git flame plan. wait_for_workers reports the decision.',
    };
  if (cycle === 0 || view.tasks.length === 0)
    return { changed, plan: 'not approved', next: "get_status has the lead's reason" };
  return { changed, plan: 'approved', next: adviseAfterPlanChange(view, lead) };
}

/**
 * Where the configuration lets a yes in the chat count (`queen.ask_in_chat`), asks the person there about the plan, or
 * takes the answer up; null: it is left to `git flame plan`. A no, or none, decides nothing: clients without a person
 * answer so by themselves. The answer is about exactly the plan that was shown.
 */
async function askInForm(
  context: RunContext,
  session: SessionId,
  { hasForms, answerTo }: CallContext,
): Promise<FormQuestion | null> {
  if (!context.config.queen.ask_in_chat.includes('plan') || !hasForms) return null;
  const view = await viewSession(context, session);
  const { proposal: tasks, objective } = view.session;
  if (tasks === null) return null;
  const key = `plan-${canonicalDigest(tasks).slice(0, 24)}`;
  const answer = answerTo(key);
  if (answer === undefined) {
    const gone = listTasksReplacedByPlan(view, { tasks }).map(({ id }) => id);
    const dropped = gone.length === 0 ? '' : `\n\nRemoved from the plan, and dropped: ${gone.join(', ')}`;
    const message = `${toPrintableText(objective)}\n\n${toPrintableText(renderPlanYaml({ tasks }))}${dropped}`;
    return message.length > longestForm ? null : { ask: { key, message } };
  }
  if (answer !== 'approve') return null;
  const gates = { ...context.gates, plan: async () => ({ kind: 'approve' as const }) };
  await askAboutProposedPlan({ ...context, gates }, session, tasks);
  return null;
}
