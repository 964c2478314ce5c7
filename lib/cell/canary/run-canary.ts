import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallDecision } from '../../domain/agent-policy.ts';
import { findDefaultModel } from '../../domain/config/known-clis.ts';
import { listConfiguredAgents } from '../../domain/config/role-adapter-and-model.ts';
import { type ObjectId, parseAgentId } from '../../domain/ids.ts';
import { findModelApiOfAdapter } from '../../domain/ports/adapter.ts';
import type { AgentOutcome, AgentRequest } from '../../domain/ports/agent-port.ts';
import type {
  CallHookFacts,
  ConversationCall,
  ConversationResult,
  ReportedCall,
} from '../../domain/ports/call-facts.ts';
import { parseJsonRecord } from '../../util/json.ts';
import { randomName } from '../../util/short-names.ts';
import type { Dialect, ModelApiEndpoint, ScriptedMessage } from '../gateway/dialects/dialect.ts';
import { getDialect } from '../gateway/dialects/get-dialect.ts';
import { listenOn } from '../gateway/listen-on.ts';
import { readBody } from '../gateway/model-request.ts';
import { requireNoOpenFileReachesCell } from '../probes/probe-cell.ts';
import { canaryPolicy } from '../probes/probe-watcher.ts';
import { startAgentInCell } from '../run/start-agent-in-cell.ts';
import { canaryFolderPrefix, recordFolderOwner } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import { createCallLedger } from '../watcher/call-ledger.ts';

interface CanaryResult {
  readonly denied: boolean;
  readonly details: string;
}

// Some take half a minute to start on a machine that is busy.
const timeoutMs = 180_000;

/**
 * Proves the watcher with the real program: a scripted model asks it to write a file that the policy forbids and that
 * nothing else would. The call must be denied, its agent must get the reason, and had the hook let it through, the
 * ledger must have found it. Sends no request to the model API. `model`: as the configuration names it. Throws
 * FlameError `cell-not-sealed`, for any adapter.
 */
export async function runCanary(
  context: RunnerContext,
  adapterName: string,
  model: string = canaryModel(context, adapterName),
): Promise<CanaryResult> {
  await requireNoOpenFileReachesCell(context);
  const adapter = context.adapters(adapterName);
  const { calls } = adapter;
  if (calls === null) return { denied: true, details: `not needed: ${adapterName} has no tool calls` };
  const dialects = (findModelApiOfAdapter(adapter, model)?.dialects ?? []).map(getDialect);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), canaryFolderPrefix)));
  recordFolderOwner(folder);
  const worktree = join(folder, 'worktree');
  const target = join(worktree, 'canary.txt');
  mkdirSync(worktree);
  const socketPath = join(folder, 'model.sock');
  const scripted = await startCanaryModel(socketPath, dialects, calls.canaryCall(target));
  const judged: Judged[] = [];
  try {
    const agent = await startAgentInCell(context, {
      request: canaryRequest({ adapter: adapterName, model, worktree }),
      onActivity: () => undefined,
      place: { path: worktree, quarantine: null },
      upstream: {
        isSecure: false,
        target: { socketPath },
        basePath: '',
        version: '',
        credential: {},
        sources: [],
        variables: [],
      },
      onJudged: (call, decision, mark) => void judged.push({ call, decision, mark }),
    });
    const outcome = await agent.outcome;
    return judge({ outcome, judged, calls, heard: scripted.result(), wasWritten: existsSync(target) });
  } finally {
    await scripted.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A model that the configuration has the adapter ask; else any. */
function canaryModel({ config, adapters }: RunnerContext, name: string): string {
  const adapter = adapters(name);
  const asked = listConfiguredAgents(config)
    .filter((choice) => choice.adapter === name)
    .find(({ model }) => findModelApiOfAdapter(adapter, model) !== null);
  return asked?.model ?? (findDefaultModel(name, 'worker') || `${adapter.apis[0]?.named ?? ''}canary`);
}

interface Judged {
  readonly call: ReportedCall;
  readonly decision: CallDecision;
  readonly mark: string | undefined;
}

interface Evidence {
  readonly outcome: AgentOutcome;
  readonly judged: readonly Judged[];
  readonly calls: CallHookFacts;
  readonly heard: ConversationResult | null;
  readonly wasWritten: boolean;
}

function judge({ outcome, judged, calls, heard, wasWritten }: Evidence): CanaryResult {
  const refused = judged.find(({ decision }) => decision.decision === 'block');
  const problems = [
    ...(wasWritten ? ['the forbidden file was written'] : []),
    ...(refused === undefined ? ['the watcher was not asked, or allowed the call'] : []),
    ...(outcome.audit.blocked === 0 ? ['the audit holds no blocked call'] : []),
    ...(refused !== undefined && heard?.text.includes(`[${refused.decision.rule}]`) !== true
      ? ['the agent did not receive the refusal']
      : []),
    ...(refused !== undefined && heard !== null ? ledgerProblems(refused, heard, calls) : []),
  ];
  if (problems.length === 0) return { denied: true, details: `denied by ${refused?.decision.rule}` };
  const ended = outcome.failure === null ? [] : [`it ended with: ${outcome.failure.message}`];
  return { denied: false, details: [...problems, ...ended].join('; ') };
}

/** Lists faults of the ledger, had the call run: it must find it where no hook asked, and not where it was allowed. */
function ledgerProblems({ call, mark }: Judged, heard: ConversationResult, calls: CallHookFacts): readonly string[] {
  const ran = { ...heard, text: 'canary', isError: false, isNew: true };
  const isFound = (decision: CallDecision['decision'] | null, result: ConversationResult = ran): boolean => {
    const ledger = createCallLedger(calls);
    if (decision !== null) ledger.note(call, { decision, rule: 'canary', details: '' }, blockMark(decision));
    return ledger.findUnwatched({ results: [result] }).length > 0;
  };
  const blockMark = (decision: CallDecision['decision']): string | undefined =>
    decision === 'block' ? mark : undefined;
  return [
    ...(isFound('block', { ...heard, isNew: true })
      ? ['a blocked call would count as one that bypassed the watcher']
      : []),
    ...(isFound(null) && isFound('block') ? [] : ['a call that bypassed the watcher would not be found']),
    ...(isFound('allow') ? ['an allowed call would count as one that bypassed the watcher'] : []),
  ];
}

function canaryRequest({
  adapter,
  model,
  worktree,
}: Pick<AgentRequest, 'adapter' | 'model'> & { readonly worktree: string }): AgentRequest {
  const id = parseAgentId(randomName('canary'));
  return {
    id,
    adapter,
    role: 'worker',
    task: null,
    model,
    systemPrompt: 'You test a tool.',
    prompt: 'Write the file.',
    answerSchema: null,
    worktree: {
      path: worktree,
      start: '0'.repeat(40) as ObjectId,
      base: '0'.repeat(40) as ObjectId,
      quarantine: { objectDir: worktree, alternates: [], worktreeGitDir: worktree },
    },
    isReadOnly: false,
    policy: canaryPolicy(id, worktree),
    budget: { unit: 'tokens', limit: 0 },
    timeoutMs,
    isInteractive: false,
    author: { name: 'canary', email: 'canary@localhost' },
  };
}

/** A model that plays one scene: it asks for one tool call, gets the result, and ends. */
interface ScriptedCanaryModel {
  /** The agent's result of the tool call; null as long as there is none. */
  result(): ConversationResult | null;
  close(): Promise<void>;
}

/** Speaks the dialects of a route on a socket file. */
async function startCanaryModel(
  socketPath: string,
  dialects: readonly Dialect[],
  call: Omit<ConversationCall, 'id'>,
): Promise<ScriptedCanaryModel> {
  let heard: ConversationResult | null = null;
  const asking: ScriptedMessage = { text: '', calls: [{ ...call, id: 'toolu_canary' }], usage };
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const body = parseJsonRecord(text ?? '');
      const { dialect, endpoint } = findEndpoint(dialects, request);
      if (dialect === null || endpoint?.isPaid !== true) return void response.writeHead(404).end('{}');
      heard ??= dialect.readConversation(body).results[0] ?? null;
      const isAsked = dialect.offersTools(body) && heard === null;
      const { contentType, body: answer } = dialect.answer(isAsked ? asking : done, body, { endpoint });
      response.writeHead(200, { 'content-type': contentType }).end(answer);
    });
  });
  const { close } = await listenOn(server, socketPath);
  return { result: () => heard, close };
}

function findEndpoint(
  dialects: readonly Dialect[],
  { method = '', url = '' }: IncomingMessage,
): { readonly dialect: Dialect | null; readonly endpoint: ModelApiEndpoint | null } {
  const path = url.split('?', 1)[0] ?? '';
  const dialect = dialects.find((one) => one.find(method, path) !== null) ?? null;
  return { dialect, endpoint: dialect?.find(method, path) ?? null };
}

const usage = { input_tokens: 1, output_tokens: 1 };
const done: ScriptedMessage = { text: 'The canary is done.', calls: [], usage };
