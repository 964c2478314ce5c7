import { join } from 'node:path';
import { type EndedCommand, readEndedCommands, readRunningCommands } from '../../cell/run/command-records.ts';
import { stopAgent } from '../../cell/run/end-runs.ts';
import { configFilePath } from '../../config/find-config-file.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { agentNotRunningError } from '../../domain/input-errors.ts';
import type { QuestionChannel, RunQuestionsState } from '../../domain/questions/question-data.ts';
import type { BoardCheck, BoardEndedCheck, BoardState } from '../../domain/view-models/board-view.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { BoardSource } from '../../ui/board/board-tabs.ts';
import { describeDiagnosticResult } from '../../ui/questions/prepare-validation-questions.ts';
import { fileStamp, listNamesIn } from '../../util/read-file.ts';
import { cloneStateDir } from '../../util/user-folders.ts';
import { streamAgentActivity } from '../context/agent-stream.ts';
import { type SelectedSession, selectSession } from '../context/open-notes-context.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { readConfig } from '../context/read-config.ts';
import { requireTypedByPerson } from '../context/require-typed-by-person.ts';
import { isSessionBusy } from '../context/session-lock.ts';
import { findRunAskingQuestion, openQuestionClients } from '../questions/question-clients.ts';
import { leaveHintForAgent } from '../show/hint-agent.ts';
import { type BoardAgentReader, openAgentReader } from './read-agents.ts';
import { type BoardSessionFromRefs, readBoardSession } from './read-session.ts';
import { openSessionLog } from './session-story.ts';
import { openPromptPreviewer, readTaskDetails } from './task-details.ts';

const lookMs = 500;

interface SourceParts {
  readonly reading: ReadContext;
  readonly io: Io;
  /** The questions of the command that serves the board; null: it asks none. */
  readonly line: QuestionChannel | null;
}

/** Opens the board's source: the refs of the repository, and the files beside them while something runs. */
export function openBoardSource({ reading, io, line }: SourceParts): BoardSource & { close(): void } {
  const { commonDir } = reading.git.repository;
  const agents = openAgentReader(commonDir);
  const kept = new Map<string, KeptRefs>();
  const log = openSessionLog(reading.store);
  const prompts = openPromptPreviewer(reading, io);
  const far = openQuestionClients(commonDir);
  const lines = (): readonly QuestionChannel[] => [...(line === null ? [] : [line]), ...far.read()];
  const root = reading.git.repository.mainWorkTree;
  const configFile = root === null ? null : configFilePath(root, reading.configFile);
  const mark = (): string => stateMark({ commonDir, env: io.env, configFile });
  const selectedBy = (session: string | null): SelectedSession =>
    session === null ? reading.selected : selectSession(session);
  return {
    read: async (named) => {
      const key = named ?? '';
      const known = kept.get(key);
      // Checked at each read: a killed run changes no file, so the mark alone would not change.
      const before = known?.refs.session?.id;
      const now = `${mark()} ${before !== undefined && isSessionBusy(commonDir, before)}`;
      const refs =
        known?.mark === now
          ? known.refs
          : await readBoardSession(reading, selectedBy(named), { config: await configOf(reading), log });
      kept.set(key, { mark: now, refs });
      const { warnings, ...gates } = boardQuestions(lines(), far.past(), refs.session?.id ?? null);
      const notices = [...new Set([...refs.notices, ...warnings])];
      return { ...withRunning(refs, agents, commonDir), ...gates, notices };
    },
    task: (named, id) => readTaskDetails(reading, selectedBy(named), { id, prompts }),
    follow: (agent, hear, signal) => streamAgentActivity(commonDir, agent, { hear, signal }),
    sendHint: async (agent, text) => {
      requireTypedByPerson('Which messages a running agent receives', reading.git.repository, io);
      leaveHintForAgent(commonDir, agent, { by: await reading.git.identity(), text });
    },
    stopAgent: async (agent, retry) => {
      requireTypedByPerson('Which agents are stopped', reading.git.repository, io);
      const order = { by: await reading.git.identity(), retry };
      if (!(await stopAgent(commonDir, agent, order))) throw agentNotRunningError(agent, { isKept: true });
    },
    answer: async (named, { gate, answer }) => {
      const asking = findRunAskingQuestion(lines(), gate);
      if (asking === null) throw questionClosed(kept.get(named ?? '')?.refs.session?.next ?? null);
      await asking.answer({ gate, answer, where: 'board' });
    },
    gateText: async (_, gate, what) => findRunAskingQuestion(lines(), gate)?.text(gate, what) ?? null,
    close: () => far.close(),
    watch: (onChange) => {
      const looking = setInterval(onChange, lookMs);
      const unwatch = [far.watch(onChange), line?.watch(onChange)];
      return () => {
        clearInterval(looking);
        for (const one of unwatch) one?.();
      };
    },
  };
}

interface KeptRefs {
  readonly mark: string;
  readonly refs: BoardSessionFromRefs;
}

/** null: it can't be read, and what it limits is not known. */
async function configOf({ git, configFile }: ReadContext): Promise<Config | null> {
  const root = git.repository.mainWorkTree;
  if (root === null) return null;
  try {
    return (await readConfig(root, configFile)).config;
  } catch (error) {
    if (error instanceof FlameError) return null;
    throw error;
  }
}

/** The open question of a session, and those answered lately. */
function boardQuestions(
  lines: readonly QuestionChannel[],
  past: BoardState['decided'],
  session: SessionId | null,
): Pick<BoardState, 'gate' | 'decided'> & Pick<RunQuestionsState, 'warnings'> {
  const states = lines.map((line) => line.read());
  // A run that is connected to again reports its decisions again: one of each id is kept.
  const decided = new Map([...past, ...states.flatMap((state) => state.decided)].map((one) => [one.id, one]));
  return {
    gate: states.map(({ open }) => open).find((open) => open?.session === session) ?? null,
    decided: [...decided.values()]
      .filter((one) => one.session === session)
      .sort((one, other) => other.at.localeCompare(one.at)),
    warnings: states.filter((state) => isOf(state, session)).flatMap((state) => state.warnings),
  };
}

/** Whether a run works on that session, as far as its questions show; one that asked nothing yet may. */
function isOf({ open, decided }: RunQuestionsState, session: SessionId | null): boolean {
  const asked = [...(open === null ? [] : [open]), ...decided];
  return asked.length === 0 || asked.some((one) => one.session === session);
}

/** `next` is the command that asks it again. */
function questionClosed(next: string | null): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-question',
    message: 'The answer was not used: the run that asked has ended.',
    hints: [next ?? 'git flame run'],
  });
}

/** Adds what running agents have spent, which is not booked yet. */
function withRunning(
  refs: BoardSessionFromRefs,
  reader: BoardAgentReader,
  commonDir: string,
): Omit<BoardState, 'gate' | 'decided'> {
  const { ran, ...shown } = refs;
  const { session } = shown;
  if (session === null) return { ...shown, is_running: false, agents: [], hints: [], checks: [], ended_checks: [] };
  const agents = reader.read(session.id);
  const cost_usd = session.cost_usd + sum(agents.map((agent) => agent.cost_usd));
  const tokens = session.tokens + sum(agents.map((agent) => agent.tokens));
  const { budget } = session;
  const running = budget === null ? 0 : sum(agents.map((agent) => spentIn(budget.unit, agent)));
  return {
    ...shown,
    session: {
      ...session,
      cost_usd,
      tokens,
      budget: budget === null ? null : { ...budget, spent: budget.spent + running },
    },
    is_running: isSessionBusy(commonDir, session.id),
    agents,
    hints: reader.hints(session.id, ran),
    checks: readChecks(commonDir, session.id),
    ended_checks: readEndedChecks(commonDir, session.id),
  };
}

function spentIn(unit: 'usd' | 'tokens', spent: { readonly cost_usd: number; readonly tokens: number }): number {
  return unit === 'tokens' ? spent.tokens : spent.cost_usd;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

interface Place {
  readonly commonDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the configuration; null: there is none. */
  readonly configFile: string | null;
}

/**
 * Another text after each change of a session's refs, of what was decided in this clone, of who works on it, and of the
 * configuration: as the files show it, without a question to git. It may change without any of them.
 */
function stateMark({ commonDir, env, configFile }: Place): string {
  const refs = join(commonDir, 'refs', 'blueflame');
  const files = [
    ...listNamesIn(refs).map((name) => join(refs, name)),
    join(commonDir, 'packed-refs'),
    join(commonDir, 'reftable', 'tables.list'),
    join(cloneStateDir(env, commonDir), 'decisions'),
    join(commonDir, 'blueflame', 'locks'),
    join(commonDir, 'worktrees'),
    ...(configFile === null ? [] : [configFile]),
  ];
  return files.map(fileStamp).join();
}

const longestOutput = 2_000;

/** The diagnostics and setup commands that run on this machine, for a session or for none in particular. */
function readChecks(commonDir: string, session: string): readonly BoardCheck[] {
  return readRunningCommands(commonDir)
    .filter((one) => one.session === null || one.session === session)
    .map(({ id, command, phase, about, started_at, output, before }) => ({
      id,
      command,
      started_at,
      about: aboutOf(about, phase),
      output: output.slice(-longestOutput),
      before: before.map((one) => {
        const { result, is_good } = describeDiagnosticResult({ ...one, output: '' });
        return { command: one.command, result, is_good, took_ms: one.duration_ms };
      }),
    }));
}

const mostEnded = 8;

/** Reads a session's checks that have ended, the newest first. */
function readEndedChecks(commonDir: string, session: string): readonly BoardEndedCheck[] {
  return readEndedCommands(commonDir)
    .filter((one) => one.session === session)
    .slice(0, mostEnded)
    .map(({ id, command, phase, about, ended_at, run }) => {
      const { result, is_good } = describeDiagnosticResult({ ...run, output: '' });
      return {
        id,
        command,
        about: aboutOf(about, phase),
        ended_at,
        result,
        is_good,
        took_ms: run.duration_ms,
      };
    });
}

function aboutOf(about: string, phase: EndedCommand['phase']): string {
  if (about !== '') return about;
  return phase === 'setup' ? 'the worktree' : 'the work';
}
