import { readLiveAgents } from '../../cell/run/agent-registry.ts';
import { nothingNamedSo } from '../../domain/bad-input.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { nameByOperand, readSnapshot } from '../open/session-meant.ts';
import { withDecisions } from '../open/signed-decisions.ts';
import { showAgent } from './show-agent.ts';
import { showChangeset } from './show-changeset.ts';
import { showGraph } from './show-graph.ts';
import { showSession } from './show-session.ts';
import { showTask } from './show-task.ts';
import type { Showing } from './showing.ts';

/** `git flame show [TASK|AGENT|CHANGESET|SESSION]`: the whole story of one thing. */
export function run(args: CommandArgs<'show'>, io: Io): Promise<number> {
  return withDecisions(nameByOperand(args), io, async (reading) => {
    const [name] = args.positionals;
    const snapshot = await readSnapshot(reading.store, reading.meant);
    const session = reading.meant.require(snapshot);
    const showing: Showing = {
      args,
      io,
      reading,
      snapshot,
      session,
      tasks: snapshot.tasksOf(session.id),
    };
    if (args.options.graph || args.options.format !== null) return showGraph(showing);
    if (name === undefined || name === session.id) return showSession(showing);
    return showNamed(showing, name);
  });
}

function showNamed(showing: Showing, name: string): Promise<number> {
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
function namedElsewhere({ snapshot, session }: Showing, name: string): FlameError {
  const other = snapshot.sessions.findLast(
    ({ id, changesets }) =>
      snapshot.tasksOf(id).some((task) => task.id === name) ||
      changesets.some((changeset) => changeset.id === name || changeset.group === name),
  );
  return nothingNamedSo(session.id, name, [
    ...(other === undefined ? [] : [`git flame show ${name} --session ${other.id}`]),
    'git flame status',
  ]);
}
