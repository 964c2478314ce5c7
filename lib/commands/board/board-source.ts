import type { Config } from '../../domain/config/config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { BoardState } from '../../domain/shown/board.ts';
import type { GateLine } from '../../domain/shown/gate.ts';
import type { Io } from '../../domain/shown/io.ts';
import type { BoardSource } from '../../ui/board/board-source.ts';
import { readConfig } from '../open/read-config.ts';
import type { Reading } from '../open/read-state.ts';
import { isSessionBusy } from '../open/session-busy.ts';
import { type SessionMeant, sessionMeant } from '../open/session-meant.ts';
import { followAgent } from './agent-stream.ts';
import { openPromptPreviewer } from './preview-prompt.ts';
import { type AgentReader, openAgentReader } from './read-agents.ts';
import { type BoardOfRefs, readSession } from './read-session.ts';
import { stateMark } from './state-mark.ts';
import { readTaskDetails } from './task-details.ts';

const lookMs = 500;

interface SourceParts {
  readonly reading: Reading;
  readonly io: Io;
  /** Where the questions lie of the command that serves it; null: it asks none. */
  readonly line: GateLine | null;
}

/** What the board shows: from the refs of the repository and from what lies beside them while something runs. */
export function openBoardSource({ reading, io, line }: SourceParts): BoardSource {
  const { commonDir } = reading.git.repository;
  const agents = openAgentReader(commonDir);
  const kept = new Map<string, KeptRefs>();
  const prompts = openPromptPreviewer(reading, io);
  const mark = (): string => stateMark({ commonDir, env: io.env });
  const meantBy = (session: string | null): SessionMeant =>
    session === null ? reading.meant : sessionMeant(session);
  return {
    read: async (named) => {
      const key = named ?? '';
      const known = kept.get(key);
      const now = mark();
      const refs =
        known?.mark === now
          ? known.refs
          : await readSession(reading, meantBy(named), await configOf(reading));
      kept.set(key, { mark: now, refs });
      return { ...withRunning(refs, agents, commonDir), ...asked(line, refs.session?.id ?? null) };
    },
    task: (named, id) => readTaskDetails(reading, meantBy(named), { id, prompts }),
    follow: (agent, hear, signal) => followAgent(commonDir, agent, { hear, signal }),
    answer: async (_, { gate, answer }) => {
      if (line === null) throw nobodyAsks();
      await line.answer({ gate, answer, where: 'board' });
    },
    gateText: async (_, gate, what) => (line === null ? null : line.text(gate, what)),
    watch: (onChange) => {
      const looking = setInterval(onChange, lookMs);
      const unwatch = line?.watch(onChange);
      return () => {
        clearInterval(looking);
        unwatch?.();
      };
    },
  };
}

interface KeptRefs {
  readonly mark: string;
  readonly refs: BoardOfRefs;
}

/** null: it can't be read, and what it limits is not known. */
async function configOf({ git, configFile }: Reading): Promise<Config | null> {
  const root = git.repository.mainWorkTree;
  if (root === null) return null;
  try {
    return (await readConfig(root, configFile)).config;
  } catch (error) {
    if (error instanceof FlameError) return null;
    throw error;
  }
}

/** What is asked of a session, and was answered lately. */
function asked(line: GateLine | null, session: SessionId | null): Pick<BoardState, 'gate' | 'decided'> {
  const { open, decided } = line?.read() ?? { open: null, decided: [] };
  return {
    gate: open?.session === session ? open : null,
    decided: decided.filter((one) => one.session === session),
  };
}

function nobodyAsks(): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'nobody-asks',
    message: 'Nothing came of this answer: no command runs here that asks anything.',
    hints: ['git flame run'],
  });
}

/** What runs is spent before it is booked. */
function withRunning(
  refs: BoardOfRefs,
  reader: AgentReader,
  commonDir: string,
): Omit<BoardState, 'gate' | 'decided'> {
  const { session } = refs;
  if (session === null) return { ...refs, run: null, agents: [], checks: [] };
  const agents = reader.read(session.id);
  const cost_usd = session.cost_usd + sum(agents.map((agent) => agent.cost_usd));
  const tokens = session.tokens + sum(agents.map((agent) => agent.tokens));
  const { budget } = session;
  const running = budget === null ? 0 : sum(agents.map((agent) => spentIn(budget.unit, agent)));
  return {
    ...refs,
    session: {
      ...session,
      ...{ cost_usd, tokens },
      budget: budget === null ? null : { ...budget, spent: budget.spent + running },
    },
    run: isSessionBusy(commonDir, session.id) ? { command: null, pid: null } : null,
    agents,
    checks: [],
  };
}

function spentIn(
  unit: 'usd' | 'tokens',
  spent: { readonly cost_usd: number; readonly tokens: number },
): number {
  return unit === 'tokens' ? spent.tokens : spent.cost_usd;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
