import { basename, join } from 'node:path';
import { readAgentSpending } from '../../cell/run/agent-registry.ts';
import { endStaleRun, listStaleRuns, removeStaleCanaries } from '../../cell/run/end-runs.ts';
import { readUnansweredQuestion } from '../../cell/run/paused-time.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import { parseSessionId } from '../../domain/ids.ts';
import type { UnusableNote } from '../../domain/ports/store-port.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { bookKilledAgentSpending } from '../../engine/work/release-orphans.ts';
import { type GitContext, runGitForText } from '../../git/process/run-git.ts';
import { finishKilledRefChanges } from '../../git/refs/finish-killed-ref-changes.ts';
import { prepareRepository } from '../../git/setup/prepare-repository.ts';
import { stateCorruptInSeveral } from '../../store/store-errors.ts';
import { recordCloneFolder } from '../../trust/clone-folders.ts';
import { removeDeadOwnedLocks } from '../../util/owned-lock.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { openPermissionGate } from '../context/permission-gate.ts';
import { requireWorkTree } from '../context/read-config.ts';
import { readTrustedDecisions } from '../context/with-trusted-decisions.ts';
import { type RunConfig, type RunConfigSource, readRunConfig, saveConfig } from './run-config.ts';

/** A repository that can be worked in. */
export interface PreparedRepository extends RunConfigSource {
  /** Its state, with the decisions that count by the configuration. */
  readonly reading: ReadContext;
  readonly loaded: RunConfig;
  /** Reads the decisions that count by the configuration as it is now. */
  recount(): Promise<DecisionLog>;
}

/** Makes the repository ready for work: its state is sound, its configuration allowed, what a kill left cleared. */
export async function prepareForWork(state: ReadContext, io: Io): Promise<PreparedRepository> {
  const root = requireWorkTree(state.git);
  await requireSoundState(state, { cwd: root, env: io.env });
  const trust = openPermissionGate(io, state);
  const loaded = await readRunConfig({ reading: state, root, trust }, io);
  // Named signers count once the configuration is allowed.
  const recount = async (): Promise<DecisionLog> => (await readTrustedDecisions(io, state)).decided;
  const reading = { ...state, decided: await recount() };
  for (const warning of loaded.warnings) reading.output.warn(warning);
  await reportReopenedSessions(reading);
  if (!state.commandLine.isDry) await prepare(reading, io, { root, loaded });
  return { reading, root, trust, loaded, recount };
}

/** Names sessions that another clone says have ended: the first step in one writes, for all clones, that it goes on. */
async function reportReopenedSessions({ store, output }: ReadContext): Promise<void> {
  for (const { session, about, counts } of (await store.snapshot()).unverified) {
    if (about !== '' || counts === null) continue;
    output.warn(
      `Another clone reports that ${session} has ended, but it has not ended here. It continues here, and the next change to it reopens it for all clones.`,
    );
    output.hint(`To accept that it has ended: git flame sync --accept ${session}`);
  }
}

/** Clears what a killed run left, and sets git up to ignore worktrees and show reviews. */
async function prepare(
  reading: ReadContext,
  io: Io,
  { root, loaded }: Pick<PreparedRepository, 'root' | 'loaded'>,
): Promise<void> {
  const { commonDir } = reading.git.repository;
  recordCloneFolder(io.env, reading.git.repository);
  await clearLeftovers(reading, io, root);
  await prepareRepository({ cwd: root, env: io.env }, commonDir, loaded.config.project.worktree_dir);
  await saveConfig(commonDir, loaded);
}

type Leftovers = Pick<ReadContext, 'git' | 'output' | 'store'>;

/** Clears what killed commands left: locks, half-moved refs, running agents, half-made cells. */
async function clearLeftovers({ git, output, store }: Leftovers, io: Io, root: string): Promise<void> {
  const { commonDir } = git.repository;
  removeStaleCanaries(new Date());
  for (const folder of ['', 'blueflame', 'blueflame/locks']) removeDeadOwnedLocks(join(commonDir, folder));
  const finished = await finishKilledRefChanges({ cwd: root, env: io.env }, commonDir);
  if (finished.length > 0) {
    const message = 'Finished what a killed git process had begun.';
    output.events.emit({ event: 'notice', level: 'info', message, details: finished });
  }
  await clearRuns({ git, store, output }, commonDir);
  await git.removeUnfinishedCells();
}

/** A question that stood open when its run was killed is asked no more. */
function reportUnanswered(folder: string, { events }: Leftovers['output']): void {
  const text = readUnansweredQuestion(folder);
  if (text === '') return;
  const message = `${basename(folder)} asked you something that was not answered before its run ended; its next attempt may ask again: ${text}`;
  events.emit({ event: 'notice', level: 'warning', message });
}

/** Books what agents of killed runs had spent, and ends those still running. */
async function clearRuns({ git, output, store }: Leftovers, commonDir: string): Promise<void> {
  const now = new Date();
  const orphans: string[] = [];
  for (const folder of listStaleRuns(commonDir, now)) {
    reportUnanswered(folder, output);
    const spent = readAgentSpending(folder, now);
    if (spent !== null) await bookKilledAgentSpending(store, await git.identity(), spent);
    if (await endStaleRun(folder)) orphans.push(basename(folder));
  }
  if (orphans.length === 0) return;
  const message = `Ended processes that a killed run had left: ${orphans.join(', ')}.`;
  output.events.emit({ event: 'notice', level: 'warning', message });
}

/**
 * Refuses to work where a note of the session, or of any session itself, can't be read: a task that seems to be
 * gone would be taken for settled. Other unreadable notes are named in a warning. Throws FlameError `state-corrupt`.
 */
async function requireSoundState(
  { store, decided, output, selected }: ReadContext,
  context: GitContext,
): Promise<void> {
  const snapshot = await store.snapshot();
  if (snapshot.problems.length === 0) return;
  const anchors = await readAnchors(context);
  decided.refresh();
  const session = selected.pick(snapshot);
  const open = session?.state === 'ended' ? null : (session?.id ?? null);
  const nameOf = ({ key }: UnusableNote): string | undefined => anchors.get(key);
  const isInTheWay = (problem: UnusableNote): boolean => {
    const [owner, task] = nameOf(problem)?.split('/') ?? [];
    if (owner === undefined) return false;
    return isKnown(decided, owner, task) && (task === undefined || owner === open);
  };
  const fatal = snapshot.problems.filter(isInTheWay);
  for (const problem of snapshot.problems) if (!fatal.includes(problem)) output.warn(describe(problem));
  if (fatal.length > 0) throw unsound(fatal, nameOf);
}

/** Whether this clone ever decided about it: else nothing of its own depends on it, damaged or not. */
function isKnown(decided: DecisionLog, owner: string, task: string | undefined): boolean {
  const session = parseSessionId(owner);
  const facts = {};
  return task === undefined
    ? decided.listChangedFacts({ kind: 'session', session, about: '', facts }) !== null
    : decided.listChangedFacts({ kind: 'task', session, about: task, facts }) !== null;
}

/** Reads the names of anchors: `<session>` or `<session>/<task>`, by their object id. */
async function readAnchors(context: GitContext): Promise<ReadonlyMap<string, string>> {
  const trees = await Promise.all(
    ['refs/blueflame/sessions', 'refs/blueflame/tasks'].map((ref) =>
      runGitForText(context, ['ls-tree', '-r', `${ref}:anchors`], { accept: [0, 128] }),
    ),
  );
  const rows = trees.join('\n').matchAll(/^\d+ blob ([0-9a-f]+)\t(.+)$/gm);
  return new Map([...rows].map(([, oid = '', path = '']) => [oid, path]));
}

function describe({ ref, object, message }: UnusableNote): string {
  return `${ref} ${object}: ${message}`;
}

function unsound(problems: readonly UnusableNote[], nameOf: (problem: UnusableNote) => string | undefined): FlameError {
  const refs = [...new Set(problems.map(({ ref }) => ref))];
  const names = problems.map((problem) => nameOf(problem)?.split('/').at(-1) ?? '');
  const things = [...new Set(names)].slice(0, 5).join(', ');
  return stateCorruptInSeveral(`The stored state of ${things} can't be read, so nothing was done.`, {
    details: problems.slice(0, 20).map(describe),
    hints: [
      'git flame doctor --repair',
      ...refs.map((ref) => `git log --stat ${ref}`),
      ...refs.map((ref) => `restore the commit before the damage: git update-ref ${ref} <commit>`),
    ],
    data: { problems: problems.map(({ ref, object }) => ({ ref, object })) },
  });
}
