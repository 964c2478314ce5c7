import { join } from 'node:path';
import type { HintNews } from '../../domain/hint.ts';
import type { Decision, ToolCall } from '../../domain/policy.ts';
import type { Adapter, ReportedCall } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { Conversation } from '../gateway/dialects/dialect.ts';
import type { ForbiddenRequest } from '../gateway/gateway-options.ts';
import { writeReplays } from '../gateway/replays.ts';
import type { RunFolder } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import { auditFile, openAuditLog } from '../watcher/audit-log.ts';
import { createCallLedger } from '../watcher/call-ledger.ts';
import { startDecisionServer } from '../watcher/decision-server.ts';
import { boundedAsk } from '../watcher/hold-question.ts';
import { openPathFacts } from '../watcher/path-facts.ts';
import type { Latch } from './latch.ts';

// An agent's own programs can ask as often as they like, each time for something else.
const mostForbidden = 1_000;

/** Judges one agent's calls, and holds what it tells its model against what was decided. */
export interface AgentJudge {
  /** Whether each call that the agent reports to the model was allowed. */
  accounts(told: Conversation): boolean;
  /** The model API was not asked for something; the same again is noted once. */
  noteForbidden(request: ForbiddenRequest): void;
  /** It meant to end, and was told that. */
  noteLastWord(about: readonly string[]): void;
  noteHint(news: HintNews): void;
  close(): Promise<void>;
}

export interface JudgeRequest {
  readonly adapter: Adapter;
  readonly request: AgentRequest;
  readonly folder: RunFolder;
  /** See AgentRequest. */
  readonly ask?: AgentRequest['ask'];
  /** Hears of each decision. */
  readonly onJudged?: ((call: ReportedCall, decision: Decision, mark?: string) => void) | undefined;
  /** A call ran that the watcher had not allowed; it is in the audit. */
  onUnwatched(): void;
}

/** Starts the judge on a socket in the folder `sockets`. */
export async function startAgentJudge(
  context: RunnerContext,
  { adapter: { calls }, request, folder, ask, onJudged, onUnwatched }: JudgeRequest,
  { sockets, canary }: { readonly sockets: string; readonly canary: Latch },
): Promise<AgentJudge> {
  const { id, policy, worktree } = request;
  const audit = openAuditLog(auditFile(context.repository.commonDir, id), id, context.now);
  const ledger = calls === null ? null : createCallLedger(calls);
  const server = await startDecisionServer({
    socketPath: join(sockets, 'judge.sock'),
    policy,
    audit,
    decide: context.decide,
    facts: openPathFacts({ workTree: policy.worktree, env: context.env, quarantine: worktree.quarantine }),
    calls,
    ...(ask === undefined ? {} : { ask: boundedAsk(ask) }),
    replays: writeReplays(request.recorded ?? [], folder.control),
    onJudged: (call, decision, mark) => {
      ledger?.note(call, decision, mark);
      onJudged?.(call, decision, mark);
    },
    onCanary: canary.raise,
  });
  const forbidden = new Set<string>();
  const note = (call: Omit<ToolCall, 'cwd'>, rule: string, details: string): void => {
    try {
      audit.append({ ...call, cwd: '' }, { decision: 'block', rule, details });
    } catch {
      // What it is about ends or is refused all the same.
    }
  };
  const noteTold = (call: Omit<ToolCall, 'cwd'>, rule: string, details: string): void => {
    try {
      audit.append({ ...call, cwd: '' }, { decision: 'allow', rule, details });
    } catch {
      // It protects nobody: without the line it is told all the same.
    }
  };
  const isFirst = (key: string): boolean => {
    if (forbidden.has(key) || forbidden.size >= mostForbidden) return false;
    forbidden.add(key);
    return true;
  };
  return {
    accounts(told) {
      const found = ledger?.findUnwatched(told) ?? [];
      if (found.length === 0) {
        for (const { name, ...call } of ledger?.findNotOffered(told) ?? [])
          if (isFirst(name)) note(call, 'tool-not-allowed', notOffered);
        return true;
      }
      onUnwatched();
      for (const call of found) note(call, 'unwatched-call', unwatched);
      return false;
    },
    noteForbidden({ rule, target, why }) {
      if (!isFirst(JSON.stringify([rule, target, why]))) return;
      note({ tool_name: 'model', tool_input: { pattern: target } }, rule, why);
    },
    noteLastWord: (about) => noteTold({ tool_name: 'end', tool_input: {} }, 'last-word', about.join('\n')),
    noteHint: ({ hint: { id, by, text }, state, next }) =>
      noteTold(
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

const notOffered = 'The tool was not offered to it, and nothing ran.';
const unwatched = 'It ran although the watcher had not allowed it, so the agent was ended.';
