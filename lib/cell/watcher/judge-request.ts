import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentQuestion } from '../../domain/agent-messages.ts';
import {
  type AgentPolicy,
  type CallDecision,
  type PathFacts,
  renderDecisionForAgent,
  type ToolCall,
} from '../../domain/agent-policy.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { CallHookFacts, ReportedCall } from '../../domain/ports/call-facts.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { fileStatusByLetter } from '../../git/diff/changed-files.ts';
import { decideGitHook, type GitHookCall } from '../../policy/decide-tool-call.ts';
import { errorMessage } from '../../util/error-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { DecideToolCall } from '../runner-context.ts';
import { buildQuestionAuditLine, buildReplyAuditLine, buildReplyBlock, parseQuestions } from './agent-questions.ts';
import type { AuditLog } from './audit-log.ts';
import { blockUnjudgedCall, type GitHookRequest, parseRequest, type WatcherAnswer } from './watcher-protocol.ts';

/** The rules by which one agent's calls are judged, and the receivers of the decisions. */
export interface AgentJudgingRules {
  readonly policy: AgentPolicy;
  readonly audit: AuditLog;
  readonly decide: DecideToolCall;
  readonly facts: PathFacts;
  /** How the agent's hook reports calls; null: it has none, and every call it asks about is blocked. */
  readonly calls: Pick<CallHookFacts, 'read' | 'replace' | 'asks'> | null;
  /** See AgentRequest. */
  readonly ask?: AgentRequest['ask'];
  /** Commands that ran elsewhere and are only shown here; absent: none. */
  readonly replays?: Replays;
  /** Reports the decision about a call; `mark` is in its result, where it was blocked or a replay. */
  onJudged?(call: ReportedCall, decision: CallDecision, mark?: string): void;
  /** The agent's settings were accepted: its hooks run. */
  onCanary(): void;
}

/** An answer that a person gives; it is ignored once the signal is aborted. */
export type PendingPersonAnswer = (gone: AbortSignal) => Promise<WatcherAnswer>;

const malformed = blockUnjudgedCall('call-malformed', 'The hook did not report a valid tool call.');

/** Judges one request, whole as it came. Its answer is in the audit; any trouble is a block. Throws nothing. */
export function judgeWatcherRequest(bytes: Buffer, options: AgentJudgingRules): WatcherAnswer | PendingPersonAnswer {
  try {
    const request = parseRequest(bytes);
    if (request !== null && 'canary' in request) {
      options.onCanary();
      return { decision: 'allow', rule: 'canary', details: '' };
    }
    if (request !== null && 'gitHook' in request) return judgeGitHook(request, options);
    const call = options.calls?.read(request?.call) ?? null;
    if (call === null) return recordDecisionInAudit(options, null, malformed);
    const questions = parseQuestions(call, options);
    if (questions !== null) return holdQuestion(request?.call, call, { ...options, questions });
    return judgeCall(request?.call, call, options);
  } catch (error) {
    return recordDecisionInAudit(
      options,
      null,
      error instanceof SyntaxError ? malformed : blockForWatcherFailure(error),
    );
  }
}

function judgeCall(reported: unknown, call: ReportedCall, options: AgentJudgingRules): WatcherAnswer {
  const [first] = call.does;
  const found = call.does.map((one) => decideSafely(one, options));
  const replay = findReplay(first, found[0] ?? malformed, options.replays ?? new Map());
  if (replay !== null) return showReplay(reported, call, { ...options, replay });
  const refusal = found.find(({ decision }) => decision === 'block');
  const decisions = call.does.map((one, index) => {
    const own = found[index] ?? malformed;
    return recordDecisionInAudit(options, one, refusal === undefined || own.decision === 'block' ? own : unlessAll);
  });
  // A line that could not be written blocks the rest with it.
  const decision = refusal ?? decisions.find((one) => one.decision === 'block') ?? found[0] ?? malformed;
  if (decision.decision === 'block') return refuse(call, decision, options);
  options.onJudged?.(call, decision);
  return decision;
}

/** Writes the questions to the audit before the person is asked, and the reply before the agent gets it. */
function holdQuestion(
  reported: unknown,
  call: ReportedCall,
  { questions, ...options }: AgentJudgingRules & { readonly questions: readonly AgentQuestion[] },
): WatcherAnswer | PendingPersonAnswer {
  // The questions stand in the details, without what looks like a credential; the call's other input is left out.
  const shown: ToolCall = { ...call.does[0], tool_input: {} };
  const asked = recordDecisionInAudit(options, shown, buildQuestionAuditLine(questions));
  if (asked.decision === 'block') return refuse(call, asked, options);
  return async (gone) => {
    const reply = await (options.ask?.(questions, gone) ?? Promise.reject(new Error('no person can be asked')));
    if (gone.aborted) return malformed;
    const noted = recordDecisionInAudit(options, shown, buildReplyAuditLine(questions, reply));
    if (noted.decision === 'block') return refuse(call, noted, options);
    const output =
      reply.kind === 'answer' ? (options.calls?.asks?.answer(reported, questions, reply.answers) ?? null) : null;
    if (output === null) return refuse(call, buildReplyBlock(questions, reply), options);
    options.onJudged?.(call, noted);
    return { ...noted, output };
  };
}

/**
 * Adds a number that was not there before to the agent's message about a refusal: a command that went past its watcher
 * can print such a message, but not this number.
 */
function refuse(call: ReportedCall, decision: CallDecision, { onJudged }: AgentJudgingRules): CallDecision {
  const mark = randomBytes(6).toString('hex');
  onJudged?.(call, decision, mark);
  // In the first line: a CLI may cut what is long.
  return { ...decision, details: renderDecisionForAgent(decision).replace(/(?=\n)|$/, ` (${mark})`) };
}

const unlessAll = blockUnjudgedCall('call-part', 'It is part of one call with others, and some of those are blocked.');

/** Shows the result from elsewhere in place of the call; where the CLI can't do that, as the reason of a block. */
function showReplay(
  reported: unknown,
  call: ReportedCall,
  { replay, ...options }: AgentJudgingRules & { readonly replay: Replay },
): WatcherAnswer {
  const { command, details, mark, shown } = replay;
  const output = options.calls?.replace(reported, command, details) ?? null;
  const decided: CallDecision =
    output === null
      ? { decision: 'block', rule: 'replayed', details: `${details}\n${shown}` }
      : { decision: 'allow', rule: 'replayed', details };
  const decision = recordDecisionInAudit(options, call.does[0], decided);
  if (output === null || decision.decision === 'block') return refuse(call, decision, options);
  options.onJudged?.(call, decision, mark);
  return { ...decision, output };
}

function judgeGitHook(request: GitHookRequest, options: AgentJudgingRules): CallDecision {
  const call = parseGitHookInput(request);
  if (call === null) return recordDecisionInAudit(options, null, malformed);
  // In the audit it's a call like any other.
  const command = call.hook === 'commit-msg' ? call.message : call.staged.map(({ path }) => path).join('\n');
  const shown = { tool_name: `git ${call.hook}`, tool_input: { command }, cwd: '' };
  return recordDecisionInAudit(options, shown, decideGitHook(options.policy, call));
}

function decideSafely(call: ToolCall, options: AgentJudgingRules): CallDecision {
  try {
    return options.decide(options.policy, call, options.facts);
  } catch (error) {
    return blockForWatcherFailure(error);
  }
}

/** Writes what was decided into the audit: what can't be written there is a block. */
export function recordDecisionInAudit(
  options: AgentJudgingRules,
  call: ToolCall | null,
  decision: CallDecision,
): CallDecision {
  try {
    options.audit.append(call, decision);
    return decision;
  } catch (error) {
    return blockUnjudgedCall(
      'audit-failed',
      `The audit can't be written, so no tool call may run: ${errorMessage(error)}`,
    );
  }
}

/** Trouble of the watcher's own, as a block. */
export function blockForWatcherFailure(error: unknown): CallDecision {
  return blockUnjudgedCall('watcher-failed', `The watcher could not judge this call: ${errorMessage(error)}`);
}

type Staged = (GitHookCall & { readonly hook: 'pre-commit' })['staged'];

/** Reads what a git hook of a cell was given: a message, or `git diff-index --cached --raw -z`; null if it's neither. */
export function parseGitHookInput({ gitHook, text }: GitHookRequest): GitHookCall | null {
  if (gitHook === 'commit-msg') return { hook: 'commit-msg', message: text };
  const staged = gitHook === 'pre-commit' ? parseStaged(text) : null;
  return staged === null ? null : { hook: 'pre-commit', staged };
}

/** `:oldMode newMode oldOid newOid status NUL path NUL` for each path. */
function parseStaged(text: string): Staged | null {
  const entries: Staged[number][] = [];
  for (const [, oldMode = '', newMode = '', letter = '', path = ''] of text.matchAll(entry)) {
    entries.push({ path, oldMode, newMode, status: fileStatusByLetter[letter] ?? 'modified' });
  }
  return text.replace(entry, '') === '' ? entries : null;
}

const entry = /:(\d+) (\d+) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*\0([^\0]+)\0/g;

/** A command that runs instead of one that ran elsewhere already: it shows the output from there. */
interface Replay {
  readonly command: string;
  /** In the first line that it prints, and in nothing else: by it the agent's conversation shows that it was run. */
  readonly mark: string;
  /** For the audit. */
  readonly details: string;
  /** The output of the command. */
  readonly shown: string;
}

/** By the command they are run instead of. */
type Replays = ReadonlyMap<string, Replay>;

/** Writes what each run printed into a folder that its cell can't write, and returns the commands that show it. */
export function writeDiagnosticReplays(runs: readonly DiagnosticRun[], controlDir: string): Replays {
  return new Map(
    runs.map((run, index): [string, Replay] => {
      const mark = randomBytes(8).toString('hex');
      const file = join(controlDir, `recorded-${index + 1}.txt`);
      const shown = `${describe(run, mark)}\n${run.output.trimEnd()}\n`;
      writeFileSync(file, shown, { mode: 0o600 });
      const details = `Not run in this cell: the recorded result is shown, ${endOf(run)}.`;
      return [
        run.command.trim(),
        { command: `cat ${shellQuote(file)}; (exit ${exitCodeOf(run)})`, mark, details, shown },
      ];
    }),
  );
}

/** The replay of a call that must not be run itself; null where there is none. */
function findReplay(call: ToolCall, { rule }: CallDecision, replays: Replays): Replay | null {
  const { command } = call.tool_input;
  if (rule !== 'recorded-only' || call.tool_name !== 'Bash' || typeof command !== 'string') return null;
  return replays.get(command.trim()) ?? null;
}

function describe(run: DiagnosticRun, mark: string): string {
  return `[recorded ${mark}: the orchestrator ran this on the commit you judge, in a separate cell; it ${endOf(run)}. The end of its output:]`;
}

function endOf({ exit_code: exitCode, timed_out: timedOut }: DiagnosticRun): string {
  if (timedOut) return 'ran out of time';
  return exitCode === null ? 'was killed' : `ended with exit code ${exitCode}`;
}

/** As a shell reports it; a time-out as `timeout` does. */
function exitCodeOf({ exit_code: exitCode, timed_out: timedOut }: DiagnosticRun): number {
  return timedOut ? 124 : (exitCode ?? 137);
}
