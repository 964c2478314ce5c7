import { stopAgent } from '../../cell/run/end-runs.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { agentNotRunningError } from '../../domain/input-errors.ts';
import type { QuestionChannel, RunQuestionsState } from '../../domain/questions/question-data.ts';
import type { BoardState } from '../../domain/view-models/board-view.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { BoardSource } from '../../ui/board/board-tabs.ts';
import { streamAgentActivity } from '../context/agent-stream.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { requireTypedByPerson } from '../context/require-typed-by-person.ts';
import { findRunAskingQuestion, openQuestionClients } from '../questions/question-clients.ts';
import { chooseNextCommand, personWithClaims } from '../run-loop/next-command.ts';
import { openSessionReader } from '../session-view/open-session-reader.ts';
import type { NextCommand } from '../session-view/read-session.ts';
import { leaveHintForAgent } from '../show/hint-agent.ts';
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
  const nextOf: NextCommand = async (standing) =>
    chooseNextCommand(standing, await personWithClaims(reading.git, standing.tasks));
  const reader = openSessionReader(reading, io, { nextOf });
  const prompts = openPromptPreviewer(reading, io);
  const far = openQuestionClients(commonDir);
  const lines = (): readonly QuestionChannel[] => [...(line === null ? [] : [line]), ...far.read()];
  const next = new Map<string | null, string | null>();
  return {
    read: async (named) => {
      const seen = await reader.read(named);
      next.set(named, seen.session?.next ?? null);
      const { warnings, ...gates } = boardQuestions(lines(), far.past(), seen.session?.id ?? null);
      return { ...seen, ...gates, notices: [...new Set([...seen.notices, ...warnings])] };
    },
    task: (named, id) => readTaskDetails(reading, reader.select(named), { id, prompts }),
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
      if (asking === null) throw questionClosed(next.get(named) ?? null);
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
