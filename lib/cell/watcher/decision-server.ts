import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import {
  type AgentPolicy,
  type Decision,
  type PathFacts,
  type ToolCall,
  toldOf,
} from '../../domain/policy.ts';

import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { CallFacts, ReportedCall } from '../../domain/ports/call-facts.ts';
import type { AgentQuestion } from '../../domain/question.ts';
import { decideGitHook, type GitHookCall } from '../../policy/decide-git-hook.ts';
import { openJudgingTurns } from '../gateway/judging-turns.ts';
import { listenOn } from '../gateway/listen-on.ts';
import { findReplay, type Replay, type Replays } from '../gateway/replays.ts';
import type { Decide } from '../runner-context.ts';
import type { AuditLog } from './audit-log.ts';
import { askedLine, questionsIn, repliedLine, replyAsReason } from './hold-question.ts';
import {
  type Answer,
  answerTimeoutMs,
  blocked,
  type GitHookRequest,
  largestRequestBytes,
  parseRequest,
  renderAnswer,
  requestLength,
  waitLine,
} from './protocol.ts';
import { readGitHook } from './read-git-hook.ts';

export interface DecisionServerOptions {
  readonly socketPath: string;
  readonly policy: AgentPolicy;
  readonly audit: AuditLog;
  readonly decide: Decide;
  readonly facts: PathFacts;
  /** How the agent's hook tells of calls; null: it has none, and every call it asks about is blocked. */
  readonly calls: Pick<CallFacts, 'read' | 'replace' | 'asks'> | null;
  /** See AgentRequest. */
  readonly ask?: AgentRequest['ask'];
  /** What ran elsewhere and is only shown here; absent: nothing. */
  readonly replays?: Replays;
  /** What was decided about a call; `mark` is in its result, where it was blocked or a replay. */
  onJudged?(call: ReportedCall, decision: Decision, mark?: string): void;
  /** The agent's settings were accepted: its hooks run. */
  onCanary(): void;
}

/** Judges one agent's calls. Every answer is in the audit before it is given; any trouble is a block. */
export async function startDecisionServer(
  options: DecisionServerOptions,
): Promise<{ close(): Promise<void> }> {
  const held: HeldBytes = { bytes: 0 };
  const server = createServer((socket) => serve(socket, options, held));
  // Programs of the agent can connect, too. Who is turned away blocks its call.
  server.maxConnections = mostConnections;
  return listenOn(server, options.socketPath);
}

const mostConnections = 64;
/** Of this process: it judges for all its agents. */
const turns = openJudgingTurns();
/** Of all requests together, until they are whole. */
const mostHeldBytes = 4 * largestRequestBytes;
/** Longer than any client waits. */
const longestMs = 2 * answerTimeoutMs;

/** An answer that a person gives; nobody hears it once the signal is aborted. */
type Held = (gone: AbortSignal) => Promise<Answer>;

interface HeldBytes {
  bytes: number;
}

function serve(socket: Socket, options: DecisionServerOptions, held: HeldBytes): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let needed: number | null = null;
  let isWhole = false;
  const answer = (decision: Answer): void => {
    socket.removeAllListeners('data');
    socket.end(renderAnswer(decision, chunks[0] ?? Buffer.of()));
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
    if (size > largestRequestBytes || held.bytes > mostHeldBytes) answer(record(options, null, tooLarge));
    else if (needed !== null || chunk.includes(10)) {
      needed ??= requestLength(Buffer.concat(chunks));
      if (size < needed || isWhole) return;
      isWhole = true;
      const isAsked = turns.ask(options, () => {
        // The client no longer waits for the answer, or its next call will be another.
        if (socket.destroyed) return;
        const judged = judge(Buffer.concat(chunks), options);
        if (typeof judged === 'function') holdUntil(socket, judged, answer);
        else answer(judged);
      });
      if (!isAsked) answer(record(options, null, tooMany));
    }
  });
}

/** How often a client that waits for a person is told to go on waiting. */
const waitMs = answerTimeoutMs / 5;

/** Keeps a client waiting until its answer is known; that it left is told. */
function holdUntil(socket: Socket, answered: Held, answer: (answer: Answer) => void): void {
  const gone = new AbortController();
  const tell = (): void => void socket.write(waitLine);
  socket.setTimeout(0);
  tell();
  const telling = setInterval(tell, waitMs);
  socket.once('close', () => {
    clearInterval(telling);
    gone.abort();
  });
  void answered(gone.signal)
    .catch((error: unknown) => failed(error))
    .then((one) => {
      clearInterval(telling);
      if (!socket.destroyed) answer(one);
    });
}

const tooLarge = blocked('call-too-large', 'The call is larger than 16 MB; write smaller files.');
const tooMany = blocked('too-many-calls', 'Too many calls wait to be judged; make one after another.');
const malformed = blocked('call-malformed', 'The hook did not report a tool call that can be judged.');

function judge(bytes: Buffer, options: DecisionServerOptions): Answer | Held {
  try {
    const request = parseRequest(bytes);
    if (request !== null && 'canary' in request) {
      options.onCanary();
      return { decision: 'allow', rule: 'canary', details: '' };
    }
    if (request !== null && 'gitHook' in request) return judgeGitHook(request, options);
    const call = options.calls?.read(request?.call) ?? null;
    if (call === null) return record(options, null, malformed);
    const questions = questionsIn(call, options);
    if (questions !== null) return holdQuestion(request?.call, call, { ...options, questions });
    return judgeCall(request?.call, call, options);
  } catch (error) {
    return record(options, null, error instanceof SyntaxError ? malformed : failed(error));
  }
}

function judgeCall(reported: unknown, call: ReportedCall, options: DecisionServerOptions): Answer {
  const [first] = call.does;
  const found = call.does.map((one) => decideSafely(one, options));
  const replay = findReplay(first, found[0] ?? malformed, options.replays ?? new Map());
  if (replay !== null) return showReplay(reported, call, { ...options, replay });
  const refusal = found.find(({ decision }) => decision === 'block');
  const told = call.does.map((one, index) => {
    const own = found[index] ?? malformed;
    return record(options, one, refusal === undefined || own.decision === 'block' ? own : unlessAll);
  });
  // A line that could not be written blocks the rest with it.
  const decision = refusal ?? told.find((one) => one.decision === 'block') ?? found[0] ?? malformed;
  if (decision.decision === 'block') return refuse(call, decision, options);
  options.onJudged?.(call, decision);
  return decision;
}

/** What it asked is in the audit before the person is asked, and so is the reply before the agent hears it. */
function holdQuestion(
  reported: unknown,
  call: ReportedCall,
  { questions, ...options }: DecisionServerOptions & { readonly questions: readonly AgentQuestion[] },
): Answer | Held {
  const [shown] = call.does;
  const asked = record(options, shown, askedLine(questions));
  if (asked.decision === 'block') return refuse(call, asked, options);
  return async (gone) => {
    const reply = await (options.ask?.(questions, gone) ?? Promise.reject(new Error('nobody can be asked')));
    if (gone.aborted) return malformed;
    const noted = record(options, shown, repliedLine(questions, reply));
    if (noted.decision === 'block') return refuse(call, noted, options);
    const output =
      reply.kind === 'answer'
        ? (options.calls?.asks?.answer(reported, questions, reply.answers) ?? null)
        : null;
    if (output === null) return refuse(call, replyAsReason(questions, reply), options);
    options.onJudged?.(call, noted);
    return { ...noted, output };
  };
}

/**
 * What the agent hears of a refusal holds a number that was not there before: a command that went past its watcher can
 * print what a refusal looks like, and not this one.
 */
function refuse(call: ReportedCall, decision: Decision, { onJudged }: DecisionServerOptions): Decision {
  const mark = randomBytes(6).toString('hex');
  onJudged?.(call, decision, mark);
  // In the first line: a CLI may cut what is long.
  return { ...decision, details: toldOf(decision).replace(/(?=\n)|$/, ` (${mark})`) };
}

const unlessAll = blocked('call-part', 'It is one call with others, and some of them are blocked.');

/** What ran elsewhere is shown in the place of the call; where the CLI can't be told to, as the reason of a block. */
function showReplay(
  reported: unknown,
  call: ReportedCall,
  { replay, ...options }: DecisionServerOptions & { readonly replay: Replay },
): Answer {
  const { command, details, mark, shown } = replay;
  const output = options.calls?.replace(reported, command, details) ?? null;
  const told: Decision =
    output === null
      ? { decision: 'block', rule: 'replayed', details: `${details}\n${shown}` }
      : { decision: 'allow', rule: 'replayed', details };
  const decision = record(options, call.does[0], told);
  if (output === null || decision.decision === 'block') return refuse(call, decision, options);
  options.onJudged?.(call, decision, mark);
  return { ...decision, output };
}

function judgeGitHook(request: GitHookRequest, options: DecisionServerOptions): Decision {
  const call = readGitHook(request);
  if (call === null) return record(options, null, malformed);
  // In the audit it's a call like any other.
  const shown = { tool_name: `git ${call.hook}`, tool_input: { command: subjectOf(call) }, cwd: '' };
  return record(options, shown, decideGitHook(options.policy, call));
}

function subjectOf(call: GitHookCall): string {
  return call.hook === 'commit-msg' ? call.message : call.staged.map(({ path }) => path).join('\n');
}

function decideSafely(call: ToolCall, options: DecisionServerOptions): Decision {
  try {
    return options.decide(options.policy, call, options.facts);
  } catch (error) {
    return failed(error);
  }
}

function record(options: DecisionServerOptions, call: ToolCall | null, decision: Decision): Decision {
  try {
    options.audit.append(call, decision);
    return decision;
  } catch (error) {
    return blocked('audit-failed', `The audit can't be written, so nothing may run: ${messageOf(error)}`);
  }
}

function failed(error: unknown): Decision {
  return blocked('watcher-failed', `The watcher could not judge this call: ${messageOf(error)}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
