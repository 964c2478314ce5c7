import { readLiveAgents } from '../../cell/run/agent-registry.ts';
import { renderQuestionTitle } from '../../domain/questions/question-facts.ts';
import { deriveSessionTitle } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CompletionCandidate, NameKind } from '../../domain/view-models/command.ts';
import { listRescues } from '../../engine/retention/rescue-refs.ts';
import { openGit } from '../../git/open-git.ts';
import { discoverRepository } from '../../git/process/discover-repository.ts';
import { type GitContext, runGitForLines } from '../../git/process/run-git.ts';
import { openTrustedStore } from '../context/open-trusted-store.ts';
import { readOpenQuestions } from '../questions/question-clients.ts';

/** The names of these kinds that there are, for completion; those of tasks and the like are of one session, the current one unless named. */
export async function listNames(
  context: GitContext,
  kinds: readonly NameKind[],
  session: string | null,
): Promise<readonly CompletionCandidate[]> {
  const lists = await Promise.all([
    listOfGit(context, kinds),
    kinds.some((kind) => storedKinds.has(kind)) ? listStored(context, kinds, session) : [],
    kinds.includes('gate') ? listGates(context) : [],
  ]);
  return lists.flat();
}

const storedKinds: ReadonlySet<NameKind> = new Set(['session', 'task', 'agent', 'changeset', 'rescue']);

async function listOfGit(context: GitContext, kinds: readonly NameKind[]): Promise<readonly CompletionCandidate[]> {
  const lists = await Promise.all([
    kinds.includes('remote') ? runGitForLines(context, ['remote']) : [],
    kinds.includes('branch')
      ? runGitForLines(context, ['for-each-ref', '--format=%(refname:short)', 'refs/heads/'])
      : [],
  ]);
  return lists.flat().map((word) => ({ word, about: '' }));
}

async function listStored(
  context: GitContext,
  kinds: readonly NameKind[],
  name: string | null,
): Promise<readonly CompletionCandidate[]> {
  const git = await openGit(context);
  const { commonDir, objectFormat } = git.repository;
  const { store } = await openTrustedStore({ context, commonDir, objectFormat });
  try {
    const snapshot = await store.snapshot();
    const session = name === null ? snapshot.current : (snapshot.sessions.find(({ id }) => id === name) ?? null);
    const tasks = session === null ? [] : snapshot.tasksOf(session.id);
    const lists: Readonly<
      Partial<Record<NameKind, () => readonly CompletionCandidate[] | Promise<readonly CompletionCandidate[]>>>
    > = {
      session: () => snapshot.sessions.map((one) => ({ word: one.id, about: deriveSessionTitle(one) })).reverse(),
      task: () => tasks.map(({ id, status, title }) => ({ word: id, about: `${status}: ${title}` })),
      agent: () => listAgents(commonDir, session),
      changeset: () => listChangesets(session, tasks),
      rescue: async () => (await listRescues(git)).map(({ name: word, why }) => ({ word, about: why })),
    };
    return (await Promise.all(kinds.map((kind) => lists[kind]?.() ?? []))).flat();
  } finally {
    await store.close();
    await git.close();
  }
}

/** Open questions of runs on this machine. */
async function listGates(context: GitContext): Promise<readonly CompletionCandidate[]> {
  const open = await readOpenQuestions((await discoverRepository(context)).commonDir);
  return open.map(({ id, asks }) => ({ word: id, about: renderQuestionTitle(asks) }));
}

/** Lists running agents first, then those of the session, latest first. */
function listAgents(commonDir: string, session: Session | null): readonly CompletionCandidate[] {
  const live = readLiveAgents(commonDir).map(({ id, role, task_id }) => ({
    word: id,
    about: `runs: ${task_id ?? role}`,
  }));
  const ended = (session?.agents ?? [])
    .filter(({ id }) => live.every(({ word }) => word !== id))
    .map(({ id, role, task_id, outcome }) => ({ word: id, about: `${outcome}: ${task_id ?? role}` }));
  return [...live, ...ended.reverse()];
}

function listChangesets(session: Session | null, tasks: readonly Task[]): readonly CompletionCandidate[] {
  const latest = new Map((session?.changesets ?? []).map((changeset) => [changeset.group, changeset]));
  return [...latest].map(([word, { state, tasks: ids }]) => {
    const [first] = tasks.filter(({ id }) => ids.includes(id));
    return { word, about: `${state}: ${ids.length === 1 ? (first?.title ?? '') : `${ids.length} tasks`}` };
  });
}
