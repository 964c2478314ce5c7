import { createServer, type Socket } from 'node:net';
import { listenOn } from '../gateway/listen-on.ts';
import {
  type AgentJudgingRules,
  blockForWatcherFailure,
  judgeWatcherRequest,
  type PendingPersonAnswer,
  recordDecisionInAudit,
} from './judge-request.ts';
import {
  blockUnjudgedCall,
  encodeDecision,
  keepWaitingLine,
  largestRequestBytes,
  requestLength,
  type WatcherAnswer,
  watcherAnswerTimeoutMs,
} from './watcher-protocol.ts';

export interface DecisionServerOptions extends AgentJudgingRules {
  readonly socketPath: string;
}

/** Judges one agent's calls. Every answer is in the audit before it is given; any trouble is a block. */
export async function startDecisionServer(options: DecisionServerOptions): Promise<{ close(): Promise<void> }> {
  const held: PendingBytes = { bytes: 0 };
  const server = createServer((socket) => serve(socket, options, held));
  // Programs of the agent can connect, too. Who is turned away blocks its call.
  server.maxConnections = mostConnections;
  return listenOn(server, options.socketPath);
}

const mostConnections = 64;
/** Of this process: it judges for all its agents. */
const turns = createJudgingTurns();
/** Of all requests together, until they are whole. */
const maxPendingBytes = 4 * largestRequestBytes;
/** Longer than any client waits. */
const longestMs = 2 * watcherAnswerTimeoutMs;

interface PendingBytes {
  bytes: number;
}

function serve(socket: Socket, options: DecisionServerOptions, held: PendingBytes): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let needed: number | null = null;
  let isWhole = false;
  const answer = (decision: WatcherAnswer): void => {
    socket.removeAllListeners('data');
    socket.end(encodeDecision(decision));
  };
  socket.on('error', () => socket.destroy());
  socket.setTimeout(longestMs, () => socket.destroy());
  socket.on('close', () => {
    held.bytes -= size;
  });
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    held.bytes += chunk.length;
    if (size > largestRequestBytes || held.bytes > maxPendingBytes)
      answer(recordDecisionInAudit(options, null, tooLarge));
    else if (needed !== null || chunk.includes(10)) {
      needed ??= requestLength(Buffer.concat(chunks));
      if (size < needed || isWhole) return;
      isWhole = true;
      const isAsked = turns.ask(options, () => {
        // The client no longer waits for the answer, or its next call will be another.
        if (socket.destroyed) return;
        const judged = judgeWatcherRequest(Buffer.concat(chunks), options);
        if (typeof judged === 'function') holdUntil(socket, judged, answer);
        else answer(judged);
      });
      if (!isAsked) answer(recordDecisionInAudit(options, null, tooMany));
    }
  });
}

// A client asks once for each call, and agents make a handful of calls at once.
const mostWaiting = 32;

/**
 * Runs one judgement after another, since a single thread judges for all agents and relays their requests to the models:
 * agents take turns, and between two judgements everything else continues.
 */
export function createJudgingTurns(later: (step: () => void) => void = setImmediate): {
  /** Has a judgement made in its agent's turn; false: too many of this agent wait already. */
  ask(agent: object, judge: () => void): boolean;
} {
  // In the order of their turns: who was served goes to the end.
  const queues = new Map<object, (() => void)[]>();
  const serve = (): void => {
    for (const [agent, [judge, ...others]] of queues) {
      queues.delete(agent);
      if (others.length > 0) queues.set(agent, others);
      if (queues.size > 0) later(serve);
      judge?.();
      return;
    }
  };
  return {
    ask(agent, judge) {
      const waiting = queues.get(agent) ?? [];
      if (waiting.length >= mostWaiting) return false;
      if (queues.size === 0) later(serve);
      queues.set(agent, [...waiting, judge]);
      return true;
    },
  };
}

/** The interval at which a client that waits for a person gets a sign to go on waiting. */
const waitMs = watcherAnswerTimeoutMs / 5;

/** Keeps a client waiting until its answer is known; aborts the signal when it leaves. */
function holdUntil(socket: Socket, answered: PendingPersonAnswer, answer: (answer: WatcherAnswer) => void): void {
  const gone = new AbortController();
  const sendWait = (): void => void socket.write(keepWaitingLine);
  socket.setTimeout(0);
  sendWait();
  const waitTimer = setInterval(sendWait, waitMs);
  socket.once('close', () => {
    clearInterval(waitTimer);
    gone.abort();
  });
  void answered(gone.signal)
    .catch((error: unknown) => blockForWatcherFailure(error))
    .then((one) => {
      clearInterval(waitTimer);
      if (!socket.destroyed) answer(one);
    });
}

const tooLarge = blockUnjudgedCall('call-too-large', 'The call is larger than 16 MB. Write smaller files.');
const tooMany = blockUnjudgedCall(
  'too-many-calls',
  'Too many calls are waiting for the watcher. Make one call after another.',
);
