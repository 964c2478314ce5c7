import { readLiveAgents } from '../../cell/run/agent-registry.ts';
import { listProposals } from '../../core/admission/list-proposals.ts';
import { sortByNeeds } from '../../core/schedule/sort-by-needs.ts';
import { listNeededTasks } from '../../core/task/stack-state.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import { noSuchNameError } from '../../domain/input-errors.ts';
import type { LiveAgent } from '../../domain/ports/agent-port.ts';
import type { AgentRunRecord, Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { buildStatusView } from '../../domain/view-models/status-view.ts';
import type { GraphTask } from '../../domain/view-models/task-story.ts';
import { machineName } from '../../trust/clone-key.ts';
import { renderAgent } from '../../ui/render/render-agent.ts';
import { renderGraph } from '../../ui/render/render-graph.ts';
import { renderSession } from '../../ui/render/render-session.ts';
import { renderStatus } from '../../ui/render/render-status.ts';
import { renderProposals, renderUnverifiedCompletions } from '../../ui/render/render-unverified.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { readAgentCallsFromAudits } from '../context/agent-calls.ts';
import { showOutputInPager } from '../context/git-preferences.ts';
import { readSessionSnapshot, takeOperandAsSession } from '../context/open-notes-context.ts';
import { withTrustedDecisions } from '../context/with-trusted-decisions.ts';
import { chooseNextCommand, personWithClaims } from '../run-loop/next-command.ts';
import { listUnverifiedCompletions, type ShowOptions } from './show-options.ts';
import { showChangeset, showTask } from './show-work.ts';

/** `git flame show [TASK|AGENT|CHANGESET|SESSION]`: the whole story of one thing. */
export function run(args: CommandArgs<'show'>, io: Io): Promise<number> {
  return withTrustedDecisions(takeOperandAsSession(args), io, async (reading) => {
    const [name] = args.positionals;
    const snapshot = await readSessionSnapshot(reading.store, reading.selected);
    const session = reading.selected.require(snapshot);
    const showing: ShowOptions = {
      args,
      io,
      reading,
      snapshot,
      session,
      tasks: snapshot.tasksOf(session.id),
    };
    if (args.options.graph) return showGraph(showing);
    if (name === undefined || name === session.id) return showSession(showing);
    return showNamed(showing, name);
  });
}

function showNamed(showing: ShowOptions, name: string): Promise<number> {
  const { session, tasks, reading } = showing;
  const task = tasks.find(({ id }) => id === name);
  if (task !== undefined) return showTask(showing, task);
  const changeset = session.changesets.findLast(({ id, group }) => id === name || group === name);
  if (changeset !== undefined) return showChangeset(showing, changeset);
  const run = session.agents.find(({ id }) => id === name);
  const live = readLiveAgents(reading.git.repository.commonDir).find(({ id }) => id === name);
  const worked = tasks.find(
    ({ agent_id, history }) => agent_id === name || history.some((entry) => entry.agent_id === name),
  );
  if (run !== undefined || live !== undefined || worked !== undefined)
    return showAgent(showing, { id: name, run: live ?? run ?? null, task: worked ?? null });
  throw namedElsewhere(showing, name);
}

/** Names the session that has it, where another one does. */
function namedElsewhere({ snapshot, session, tasks }: ShowOptions, name: string): FlameError {
  const other = snapshot.sessions.findLast(
    ({ id, changesets }) =>
      snapshot.tasksOf(id).some((task) => task.id === name) ||
      changesets.some((changeset) => changeset.id === name || changeset.group === name),
  );
  return noSuchNameError(session.id, name, {
    known: other === undefined ? [...tasks, ...session.changesets, ...session.agents] : [],
    hints: [...(other === undefined ? [] : [`git flame show ${name} --session ${other.id}`]), 'git flame status'],
  });
}

interface ShownAgent {
  readonly id: string;
  /** null for an agent that cost nothing and has ended: its task has its story. */
  readonly run: AgentRunRecord | LiveAgent | null;
  readonly task: Task | null;
}

/** One agent: what it worked on, for how long and for how much, and what its watcher blocked. */
async function showAgent({ io, reading }: ShowOptions, { id, run, task }: ShownAgent): Promise<number> {
  const { git, output } = reading;
  const calls = readAgentCallsFromAudits(git.repository.commonDir, [id]);
  const attempts = (task?.history ?? []).filter(({ agent_id }) => agent_id === id);
  const taskId = run?.task_id ?? task?.id ?? null;
  const next = [`git flame agent attach ${id}`, ...(taskId === null ? [] : [`git flame show ${taskId}`])];
  output.json({ agent: id, run, task: taskId, attempts, calls, next });
  const shown = { id, run, task: taskId, attempts, calls, next };
  await showOutputInPager(output, io, renderAgent(shown, output.style, new Date()));
  return 0;
}

/** A session from its objective to what was decided and spent. */
async function showSession(showing: ShowOptions): Promise<number> {
  const { io, reading, snapshot, session, tasks } = showing;
  const { git, output, shown } = reading;
  const isCurrent = snapshot.current?.id === session.id;
  const live = isCurrent ? readLiveAgents(git.repository.commonDir) : [];
  const unverified = listUnverifiedCompletions(showing);
  output.json(unverified.length === 0 ? session : { ...session, doubts: unverified });
  const standing = snapshot.admitted(session.id);
  const proposals = listProposals(session, standing, snapshot);
  const status = renderStatus(buildStatusView(standing.session, tasks, live, { isText: true }), output.style, {
    now: new Date(),
    next: chooseNextCommand(
      standing,
      await personWithClaims(git, tasks),
      machineName({ env: io.env, commonDir: git.repository.commonDir }),
    ),
    more: [
      ...renderProposals(proposals),
      ...renderUnverifiedCompletions(unverified, output.style),
      ...renderSession(session, output.style),
    ],
  });
  await showOutputInPager(output, io, status);
  shown.recordSeen(session.id, session.changesets);
  return 0;
}

/** The plan as a graph with its progress. */
async function showGraph({ io, reading, session, tasks }: ShowOptions): Promise<number> {
  const { output } = reading;
  const graph = sortByNeeds(toGraph(session, tasks), {
    id: ({ id }) => id,
    needs: ({ dependencies }) => dependencies,
    compare: (a, b) => compareText(a.group, b.group) || compareText(a.id, b.id),
  });
  output.json({ session: session.id, tasks: graph });
  await showOutputInPager(output, io, renderGraph(graph, output.style));
  return 0;
}

/** A plan that waits for its gate takes the place of the tasks it would replace. */
function toGraph({ proposal }: Session, tasks: readonly Task[]): readonly GraphTask[] {
  const proposed = new Set<string>((proposal ?? []).map(({ id }) => id));
  return [
    ...tasks
      .filter(({ id }) => !proposed.has(id))
      .map((task) => ({ task, dependencies: isWorkedOn(task) ? listNeededTasks(task) : task.dependencies }))
      .map(({ task: { id, title, status, cohesion_group: group }, dependencies }) => ({
        id,
        title,
        status,
        group,
        dependencies,
      })),
    ...(proposal ?? []).map(({ id, title, cohesion_group: group, dependencies }) => ({
      id,
      title,
      group,
      dependencies,
      status: 'proposed' as const,
    })),
  ];
}

/** False once a task was sent back: then its base set is ignored. */
function isWorkedOn({ status }: Task): boolean {
  return status === 'claimed' || status === 'done' || status === 'merged';
}
