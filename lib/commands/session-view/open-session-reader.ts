import { join } from 'node:path';
import { type EndedCommand, readEndedCommands, readRunningCommands } from '../../cell/run/command-records.ts';
import { configFilePath } from '../../config/find-config-file.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import type { BoardCheck, BoardEndedCheck, BoardState } from '../../domain/view-models/board-view.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { describeDiagnosticResult } from '../../ui/questions/prepare-validation-questions.ts';
import { fileStamp, listNamesIn } from '../../util/read-file.ts';
import { cloneStateDir } from '../../util/user-folders.ts';
import { type SelectedSession, selectSession } from '../context/open-notes-context.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { readConfigIfSound } from '../context/read-config.ts';
import { isSessionBusy } from '../context/session-lock.ts';
import { openAgentReader } from './read-agents.ts';
import { type NextCommand, readSessionFromRefs, type SessionFromRefs } from './read-session.ts';
import { openSessionLog } from './session-story.ts';

/** A session at one moment, but for its questions. */
type SessionSeen = Omit<BoardState, 'gate' | 'decided'>;

/** Reads a session, as board and live view show it; again only where something has changed. */
export interface SessionReader {
  /** By its id; null: the one that is selected. Throws FlameErrors, such as `no-session`. */
  read(session: string | null): Promise<SessionSeen>;
  select(session: string | null): SelectedSession;
}

/** Opens a reader of the refs of the repository, and of the files beside them while something runs. */
export function openSessionReader(
  reading: ReadContext,
  { env }: Pick<Io, 'env'>,
  {
    nextOf = null,
    config = () => readConfigIfSound(reading),
  }: { readonly nextOf?: NextCommand | null; readonly config?: () => Config | null | Promise<Config | null> } = {},
): SessionReader {
  const { commonDir } = reading.git.repository;
  const agents = openAgentReader(commonDir);
  const kept = new Map<string | null, { readonly mark: string; readonly refs: SessionFromRefs }>();
  const log = openSessionLog(reading.store);
  const root = reading.git.repository.mainWorkTree;
  const configFile = root === null ? null : configFilePath(root, reading.configFile);
  const select = (session: string | null): SelectedSession =>
    session === null ? reading.selected : selectSession(session);
  return {
    select,
    read: async (named) => {
      const known = kept.get(named);
      // Checked at each read: a killed run changes no file, so the mark alone would not change.
      const before = known?.refs.session?.id;
      const mark = `${stateMark({ commonDir, env, configFile })} ${before !== undefined && isSessionBusy(commonDir, before)}`;
      const refs =
        known?.mark === mark
          ? known.refs
          : await readSessionFromRefs(reading, select(named), { config: await config(), log, nextOf });
      kept.set(named, { mark, refs });
      return addWhatRuns(refs, agents, commonDir);
    },
  };
}

/** Adds what runs at this moment, and what running agents have spent, which is not booked yet. */
function addWhatRuns(
  { ran, budgetOf, ...shown }: SessionFromRefs,
  reader: ReturnType<typeof openAgentReader>,
  commonDir: string,
): SessionSeen {
  const { session } = shown;
  if (session === null) return { ...shown, is_running: false, agents: [], hints: [], checks: [], ended_checks: [] };
  const agents = reader.read(session.id, budgetOf);
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
