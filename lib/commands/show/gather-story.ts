import { listNotesWithState } from '../../core/blackboard/list-notes-with-state.ts';
import { isNoteForTask } from '../../core/blackboard/notes-for-task.ts';
import { listTasksInEvidenceDoubt } from '../../core/changesets/build-evidence.ts';
import type { CellWorktree, GitCells } from '../../domain/ports/git-cells.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitDiffs } from '../../domain/ports/git-contents.ts';
import type { AdmittedSnapshot, StateLogEntry } from '../../domain/ports/store-port.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { AttemptTime, NoteWithState, TaskStory, TaskWork } from '../../domain/view-models/task-story.ts';
import { listRescues } from '../../engine/retention/rescue-refs.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { readAgentCallsFromAudits } from '../context/agent-calls.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { readTaskWaitReasons } from '../context/waits-and-conflicts.ts';
import { chooseNextCommand, type NextCommandFacts, personWithClaims } from '../run-loop/next-command.ts';
import { listUntrustedChangesets } from './show-options.ts';

/** Gathers what is known of a task: from its notes, the log, the audits and git. */
export async function gatherStory(
  { git, store }: ReadContext,
  { snapshot, session, task }: { readonly snapshot: AdmittedSnapshot; readonly session: Session; readonly task: Task },
): Promise<TaskStory> {
  const tasks = snapshot.tasksOf(session.id);
  const runs = session.agents.filter(({ task_id }) => task_id === task.id);
  const log = await store.log({ session: session.id, task: task.id });
  const standing = snapshot.admitted(session.id);
  const waits = await readTaskWaitReasons({ git }, session, tasks);
  const worktrees = await keptWorktrees(git, task);
  const verdicts = snapshot.verdictsOf(session.id).filter((verdict) => verdict.task === task.id);
  const trusted = standing.snapshot.verdictsOf(session.id);
  return {
    task,
    verdicts,
    verifications: task.commit === null ? [] : snapshot.verificationsOn(task.commit),
    doubts: listTasksInEvidenceDoubt(snapshot, [task]),
    notes: listNotesWithState(standing.pages(), tasks, standing.snapshot.blackboardOf(session.id)).filter((note) =>
      isAbout(note, task),
    ),
    waits_for: waits.get(task.id) ?? [],
    runs,
    times: attemptTimes(task, log, runs),
    calls: readAgentCallsFromAudits(git.repository.commonDir, [...agentsOf(task), ...runs.map(({ id }) => id)]),
    work: await workOf(git, task),
    worktrees: worktrees.map(({ path }) => path),
    rescues: (await listRescues(git)).filter(({ name }) => name.startsWith(`${session.id}/${task.id}/`)),
    uncounted: listUntrustedChangesets(session, standing.session),
    uncounted_verdicts: verdicts.filter((verdict) => !trusted.includes(verdict)),
    changesets: session.changesets.filter((changeset) => changeset.tasks.includes(task.id)),
    next: nextSteps(task, {
      standing,
      isKept: worktrees.length > 0,
      left: worktrees.find((cell) => git.isWorktreeHandedToPerson(cell))?.path ?? null,
      person: await personWithClaims(git, tasks),
    }),
  };
}

function isAbout(note: NoteWithState, task: Task): boolean {
  return note.task === task.id || (note.task === null && isNoteForTask(note, task));
}

function agentsOf({ history, agent_id }: Task): readonly string[] {
  return [...history.map((entry) => entry.agent_id), agent_id].flatMap((id) => id ?? []);
}

async function keptWorktrees(git: GitCells, task: Task): Promise<readonly CellWorktree[]> {
  const cells = await git.cells();
  return cells.filter(({ subject }) => subject?.session === task.session && subject.task === task.id);
}

/** From its claim to what came next; a paid run has its own times. */
function attemptTimes(task: Task, log: readonly StateLogEntry[], runs: Session['agents']): readonly AttemptTime[] {
  const oldestFirst = [...log].reverse();
  return [...new Set(agentsOf(task))].map((agent) => {
    const run = runs.find(({ id }) => id === agent);
    if (run !== undefined) return { agent, took_ms: Date.parse(run.ended_at) - Date.parse(run.started_at) };
    const start = oldestFirst.findIndex(({ subject }) => subject.endsWith(`claimed by ${agent}`));
    const end = start < 0 ? undefined : oldestFirst[start + 1];
    const began = oldestFirst[start]?.at;
    const took = end === undefined || began === undefined ? null : Date.parse(end.at) - Date.parse(began);
    return { agent, took_ms: took };
  });
}

/** null also where a commit is not in this clone. */
async function workOf(git: GitCommits & GitDiffs, { commit, start_commit: start }: Task): Promise<TaskWork | null> {
  if (commit === null || start === null) return null;
  for (const one of [commit, start]) if ((await git.resolveCommit(one)) === null) return null;
  return { commits: await git.commitsBetween(start, commit), files: await git.fileStats(start, commit) };
}

interface Surroundings {
  readonly standing: NextCommandFacts;
  readonly isKept: boolean;
  /** The worktree that git can be used in. */
  readonly left: string | null;
  readonly person: string | null;
}

function nextSteps(task: Task, { standing, isKept, left, person }: Surroundings): readonly string[] {
  const steps: string[] = [];
  if (task.status === 'claimed' && task.agent_id !== null) steps.push(`git flame agent attach ${task.agent_id}`);
  if (task.status === 'failed' && isKept) steps.push(`git flame show ${task.id} --diff`);
  if (task.status === 'failed' && left !== null) steps.push(`git -C ${shellQuote(left)} status`);
  if (task.status === 'failed' && task.agent_id !== null) steps.push(`git flame agent attach ${task.agent_id}`);
  if (task.status === 'failed') steps.push(`git flame task release ${task.id}`);
  if (task.commit !== null) steps.push(`git flame show ${task.id} --diff`);
  const other = (task.tries ?? []).findIndex(({ work, chosen }) => work !== undefined && chosen !== true);
  if (task.status === 'done' && other !== -1) steps.push(`git flame task choose ${task.id} --attempt ${other + 1}`);
  const command = chooseNextCommand(standing, person);
  return command === null || command === `git flame show ${task.id}` ? steps : [...steps, command];
}
