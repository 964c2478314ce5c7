import { join } from 'node:path';
import type { HintProgress } from '../../domain/agent-messages.ts';
import type { CallDecision, ToolCall } from '../../domain/agent-policy.ts';
import type { Adapter } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { ReportedCall } from '../../domain/ports/call-facts.ts';
import { tryQuietly } from '../../util/remove-tree.ts';
import { listDependencyOverlays, pathFactsWithOverlays } from '../dependencies/worktree-dependencies.ts';
import type { ReportedConversation } from '../gateway/dialects/dialect.ts';
import type { ForbiddenRequest } from '../gateway/gateway-options.ts';
import type { RunFolder } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import { limitNumberOfQuestions } from '../watcher/agent-questions.ts';
import { auditFile, openAuditLog } from '../watcher/audit-log.ts';
import { createCallLedger } from '../watcher/call-ledger.ts';
import { startDecisionServer } from '../watcher/decision-server.ts';
import { writeDiagnosticReplays } from '../watcher/judge-request.ts';
import { openPathFacts } from '../watcher/path-facts.ts';
import type { Latch } from './latch.ts';

// An agent's own programs can ask as often as they like, each time for something else.
const mostForbidden = 1_000;

/** Judges one agent's calls, and compares its report of them to its model with the decisions. */
export interface AgentCallJudge {
  /** Whether each call that the agent reports to the model was allowed. */
  wereAllCallsAllowed(conversation: ReportedConversation): boolean;
  /** The model API was not asked for something; the same again is noted once. */
  auditForbiddenRequest(request: ForbiddenRequest): void;
  /** Notes that the agent meant to end and was asked to go on, about that. */
  auditFinalCheck(about: readonly string[]): void;
  auditHint(news: HintProgress): void;
  close(): Promise<void>;
}

export interface AgentCallJudgeOptions {
  readonly adapter: Adapter;
  readonly request: AgentRequest;
  readonly folder: RunFolder;
  /** See AgentRequest. */
  readonly ask?: AgentRequest['ask'];
  /** Called with each decision. */
  readonly onJudged?: ((call: ReportedCall, decision: CallDecision, mark?: string) => void) | undefined;
  /** A call ran that the watcher had not allowed; it is in the audit. */
  onUnwatched(): void;
}

/** Starts the judge on a socket in the folder `sockets`. */
export async function startAgentCallJudge(
  context: RunnerContext,
  { adapter: { calls }, request, folder, ask, onJudged, onUnwatched }: AgentCallJudgeOptions,
  { sockets, canary }: { readonly sockets: string; readonly canary: Latch },
): Promise<AgentCallJudge> {
  const { id, policy, worktree } = request;
  const audit = openAuditLog(auditFile(context.repository.commonDir, id), id, context.now);
  const ledger = calls === null ? null : createCallLedger(calls);
  const server = await startDecisionServer({
    socketPath: join(sockets, 'judge.sock'),
    policy,
    audit,
    decide: context.decide,
    facts: pathFactsWithOverlays(
      openPathFacts({ workTree: policy.worktree, env: context.env, quarantine: worktree.quarantine }),
      listDependencyOverlays({ commonDir: context.repository.commonDir, worktree: worktree.path }),
    ),
    calls,
    ...(ask === undefined ? {} : { ask: limitNumberOfQuestions(ask) }),
    replays: writeDiagnosticReplays(request.recorded ?? [], folder.control),
    onJudged: (call, decision, mark) => {
      ledger?.note(call, decision, mark);
      onJudged?.(call, decision, mark);
    },
    onCanary: canary.raise,
  });
  // Beside the calls it judges these lines protect nothing, and all goes on without them.
  const note = (decision: 'allow' | 'block', call: Omit<ToolCall, 'cwd'>, rule: string, details: string): void =>
    void tryQuietly(() => audit.append({ ...call, cwd: '' }, { decision, rule, details }));
  const forbidden = new Set<string>();
  const isFirst = (key: string): boolean => {
    if (forbidden.has(key) || forbidden.size >= mostForbidden) return false;
    forbidden.add(key);
    return true;
  };
  return {
    wereAllCallsAllowed(conversation) {
      const found = ledger?.findUnwatched(conversation) ?? [];
      if (found.length === 0) {
        for (const { name, ...call } of ledger?.findNotOffered(conversation) ?? [])
          if (isFirst(name)) note('block', call, 'tool-not-allowed', notOffered);
        return true;
      }
      onUnwatched();
      for (const call of found) note('block', call, 'unwatched-call', unwatched);
      return false;
    },
    auditForbiddenRequest({ rule, target, why }) {
      if (!isFirst(JSON.stringify([rule, target, why]))) return;
      note('block', { tool_name: 'model', tool_input: { pattern: target } }, rule, why);
    },
    auditFinalCheck: (about) => note('allow', { tool_name: 'end', tool_input: {} }, 'last-word', about.join('\n')),
    auditHint: ({ hint: { id, by, text }, state, next }) =>
      note(
        'allow',
        { tool_name: 'hint', tool_input: { pattern: id } },
        `hint-${state}`,
        state === 'followed' ? next.join(', ') : `${by}: ${text}`,
      ),
    close: async () => {
      await server.close();
      audit.close();
    },
  };
}

const notOffered = 'The agent was not offered this tool, and nothing ran.';
const unwatched = 'It ran although the watcher had not allowed it, so the agent was stopped.';
