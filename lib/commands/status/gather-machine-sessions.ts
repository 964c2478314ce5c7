import { basename, dirname } from 'node:path';
import { Writable } from 'node:stream';
import { listProposals } from '../../core/admission/list-proposals.ts';
import type { GitLimits } from '../../domain/config/checked-work-limits.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { AdmittedSession, OneSessionSnapshot, UnusableNote } from '../../domain/ports/store-port.ts';
import { deriveSessionTitle } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, GlobalOptions, Io } from '../../domain/view-models/command.ts';
import type { MachineSession, MachineSessionsView } from '../../domain/view-models/machine-sessions-view.ts';
import { buildStatusView } from '../../domain/view-models/status-view.ts';
import { resolveDotGitOfFolder } from '../../git/process/discover-repository.ts';
import { listCloneFolders, type NotedClone } from '../../trust/clone-folders.ts';
import { machineName } from '../../trust/clone-key.ts';
import { describeWaiting } from '../../ui/render/render-status.ts';
import { errorMessage } from '../../util/error-text.ts';
import { type FolderPresence, findFolders } from '../../util/find-folders.ts';
import { formatCount } from '../../util/format-figures.ts';
import { forEachConcurrently } from '../../util/pacing.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { isSessionBusy } from '../context/session-lock.ts';
import { listOpenQuestions } from '../questions/list-open-questions.ts';
import { chooseNextCommand, personWithClaims } from '../run-loop/next-command.ts';

/** Repositories that are read at once: each has a git of its own. */
const mostAtOnce = 6;
/** How long a disk may take to say whether a folder is there, in milliseconds. */
const patienceMs = 2_000;

/** What one git may take there: a pipe or a disk in the place of a file would hold it for ever. */
const gitLimits: GitLimits = { wallMs: 5_000, cpuSeconds: 60, memoryMb: 2_000 };

interface GatherOptions {
  /** A common git directory that is left out. */
  readonly except?: string;
  /** The address of a board that runs for a clone. */
  readonly boardOf?: (commonDir: string) => string | null;
}

type Found = Omit<MachineSessionsView, 'schema_version'>;

/**
 * Reads where the sessions of all clones of this user stand. Reading one runs nothing that it configures and fetches
 * nothing; one that can't be read is reported beside the others.
 */
export async function gatherMachineSessions(
  io: Io,
  { except, boardOf = () => null }: GatherOptions = {},
): Promise<MachineSessionsView> {
  const found: Found[] = [];
  const clones = listCloneFolders(io.env).filter(({ commonDir }) => commonDir !== except);
  const presence = await findFolders(
    clones.flatMap(({ commonDir, mainWorkTree }) => [commonDir, ...(mainWorkTree === null ? [] : [mainWorkTree])]),
    { patienceMs },
  );
  await forEachConcurrently(clones, mostAtOnce, async (clone) => {
    const { sessions, ...others } = await readIfThere(clone, presence, io);
    const board = sessions.length === 0 ? null : boardOf(clone.commonDir);
    found.push({ sessions: board === null ? sessions : sessions.map((one) => ({ ...one, board })), ...others });
  });
  return {
    schema_version: 1,
    sessions: found.flatMap(({ sessions }) => sessions).sort(compareSessions),
    ended: found.flatMap(({ ended }) => ended).sort(compareText),
    unreadable: found
      .flatMap(({ unreadable }) => unreadable)
      .sort((one, other) => compareText(one.repository, other.repository)),
  };
}

const order: readonly MachineSession['standing'][] = ['waits', 'paused', 'running'];

function compareSessions(one: MachineSession, other: MachineSession): number {
  const byStanding = order.indexOf(one.standing) - order.indexOf(other.standing);
  return byStanding || compareText(one.since, other.since) || compareText(one.repository, other.repository);
}

/** Touches only what is there: a disk that hangs would hold this process, which may lead a run. */
async function readIfThere(
  { commonDir, mainWorkTree: tree, stateFolder }: NotedClone,
  presence: ReadonlyMap<string, FolderPresence>,
  io: Io,
): Promise<Found> {
  const usual = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
  const isLate = [commonDir, tree].some((path) => path !== null && presence.get(path) === 'late');
  if (isLate) return unreadable(tree ?? usual, { code: 'no-answer', message: 'Its disk does not answer.' }, []);
  if (presence.get(commonDir) !== 'there')
    return unreadable(usual, { code: 'no-such-folder', message: goneText }, [`rm -r ${shellQuote(stateFolder)}`]);
  // Its work tree may be elsewhere, and have another repository by now.
  const isIts = tree !== null && presence.get(tree) === 'there' && resolveDotGitOfFolder(tree) === commonDir;
  return readRepository(isIts ? tree : usual, io);
}

async function readRepository(place: string, io: Io): Promise<Found> {
  let found: Found = nothing;
  try {
    await withRepositoryState(silentArgs, silentIo(place, io), async (reading) => {
      found = await readSessions(reading, io, place);
      return 0;
    });
    return found;
  } catch (error) {
    if (io.signal?.aborted === true) throw error;
    if (!(error instanceof FlameError))
      return unreadable(place, { code: 'internal', message: errorMessage(error) }, []);
    if (error.code !== 'not-a-repository') return unreadable(place, error, error.hints);
    return unreadable(place, { code: error.code, message: damagedText }, []);
  }
}

const nothing: Found = { sessions: [], ended: [], unreadable: [] };
const goneText =
  'It is not there: it was moved or deleted, or its disk is missing. Where it is gone for good, this forgets it:';
const damagedText = 'git finds no repository there: its .git folder is damaged.';

function unreadable(
  repository: string,
  { code, message }: Pick<FlameError, 'code' | 'message'>,
  hints: readonly string[],
): Found {
  return { ...nothing, unreadable: [{ repository, code, message, hints }] };
}

const globals: GlobalOptions = {
  session: null,
  config: null,
  decisionsFile: null,
  dryRun: false,
  quiet: true,
  json: true,
  plain: true,
  color: false,
  debug: false,
};
const silentArgs: CommandArgs<'status'> = {
  command: 'status',
  subcommand: null,
  options: { all: false },
  positionals: [],
  globals,
};

/**
 * As if the command had been typed there, with nothing printed. git fetches no object that a partial clone lacks, and finds
 * no repository around a damaged one.
 */
function silentIo(cwd: string, io: Io): Io {
  const silent = new Writable({ write: (_, __, done) => done() });
  const { GIT_DIR, GIT_WORK_TREE, GIT_COMMON_DIR, ...env } = io.env;
  return {
    ...io,
    cwd,
    gitLimits,
    env: { ...env, GIT_ALLOW_PROTOCOL: '', GIT_CEILING_DIRECTORIES: dirname(cwd) },
    stdout: silent,
    stderr: silent,
  };
}

async function readSessions(reading: ReadContext, io: Io, place: string): Promise<Found> {
  const { store } = reading;
  const { sessions, current, problems } = await store.readOneSession(() => null);
  const repository = reading.git.repository.mainWorkTree ?? place;
  const open: MachineSession[] = [];
  for (const { id, state } of sessions) {
    if (state === 'ended') continue;
    const look = await store.readOneSession(() => id);
    const session = look.sessions.find((one) => one.id === id);
    const isCurrent = id === current?.id;
    if (session !== undefined) open.push(await describe(reading, io, { look, session, repository, isCurrent }));
  }
  const hasEnded = open.length === 0 && sessions.length > 0;
  const [problem] = problems;
  const damage =
    problem === undefined
      ? nothing
      : unreadable(repository, describeProblem(problem), [`cd ${shellQuote(repository)} && git flame doctor`]);
  return { sessions: open, ended: hasEnded ? [repository] : [], unreadable: damage.unreadable };
}

function describeProblem({ ref, object, message }: UnusableNote): Pick<FlameError, 'code' | 'message'> {
  return { code: 'note-unusable', message: `A note of ${ref} can't be read: ${shortId(object)} ${message}.` };
}

interface OpenSession {
  readonly look: OneSessionSnapshot;
  readonly session: Session;
  readonly repository: string;
  readonly isCurrent: boolean;
}

async function describe(
  { git }: ReadContext,
  { env }: Io,
  { look, session, repository, isCurrent }: OpenSession,
): Promise<MachineSession> {
  const { id, base_branch } = session;
  const { commonDir } = git.repository;
  const tasks = look.tasksOf(id).filter(({ status }) => status !== 'dropped');
  const standing = look.admitted(id);
  const asks = await listOpenQuestions(commonDir, id);
  const isRunning = isSessionBusy(commonDir, id);
  const status = buildStatusView(standing.session, tasks, [], { asks, isText: true });
  // What else is open, a run goes on with by itself.
  const waits = isRunning
    ? asks.map((asking) => `asked now: ${asking.asks}`)
    : [...describeWaiting(status), ...describeReceived(look, session, standing)];
  const person = await personWithClaims(git, tasks);
  const following = chooseNextCommand(standing, person, machineName({ env, commonDir })) ?? 'git flame status';
  const next = asks[0]?.next ?? (isRunning ? 'git flame status' : following);
  const about = isCurrent || asks.length > 0 ? '' : ` --session ${id}`;
  return {
    repository,
    id,
    title: deriveSessionTitle(session),
    base_branch,
    standing: waits.length > 0 ? 'waits' : isRunning ? 'running' : 'paused',
    waits,
    tasks: { landed: tasks.filter(({ status: stands }) => stands === 'merged').length, all: tasks.length },
    since: asks.map(({ asked_at: at }) => at).sort(compareText)[0] ?? lastChange(session, tasks),
    next: `cd ${shellQuote(repository)} && ${next}${about}`,
  };
}

function describeReceived(look: OneSessionSnapshot, session: Session, standing: AdmittedSession): readonly string[] {
  const { session: isNew, tasks } = listProposals(session, standing, look);
  if (!isNew && tasks.length === 0) return [];
  return [`decided in another clone, to accept here: ${isNew ? 'the session' : formatCount(tasks.length, 'task')}`];
}

function lastChange({ updated_at: at }: Session, tasks: readonly Task[]): string {
  return tasks.reduce((latest, task) => (task.updated_at > latest ? task.updated_at : latest), at);
}
