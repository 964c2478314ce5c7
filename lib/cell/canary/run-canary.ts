import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roleAdapter } from '../../domain/config/role-settings.ts';
import { type ObjectId, parseAgentId } from '../../domain/ids.ts';
import type { ModelApi } from '../../domain/model-api.ts';
import type { Decision } from '../../domain/policy.ts';
import { type Adapter, apiOf } from '../../domain/ports/adapter.ts';
import type { AgentOutcome, AgentRequest } from '../../domain/ports/agent-port.ts';
import { roleSchema } from '../../domain/role.ts';
import { randomName } from '../../util/random-name.ts';
import { getDialect } from '../gateway/dialects/get-dialect.ts';
import { canaryPolicy } from '../probes/canary-policy.ts';
import { startAgent } from '../run/start-agent.ts';
import { canaryPrefix } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import { type CanaryModel, startCanaryModel } from './model.ts';

interface CanaryResult {
  readonly denied: boolean;
  readonly details: string;
}

const timeoutMs = 60_000;
/**
 * Proves the watcher with the real program: a scripted model asks it to write a file that the policy forbids
 * and that nothing else would. Sends no request to the model API.
 */
export async function runCanary(context: RunnerContext, adapterName: string): Promise<CanaryResult> {
  const adapter = context.adapters(adapterName);
  if (adapter.calls === null)
    return { denied: true, details: `not needed: ${adapterName} has no tool calls` };
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${canaryPrefix}${process.pid}-`)));
  const worktree = join(folder, 'worktree');
  const target = join(worktree, 'canary.txt');
  mkdirSync(worktree);
  const socketPath = join(folder, 'model.sock');
  const api = apiOfCanary(context, adapter);
  const model = await startCanaryModel(socketPath, {
    dialects: api.dialects.map(getDialect),
    call: adapter.calls.canaryCall(target),
  });
  const decisions: Decision[] = [];
  try {
    const observed: RunnerContext = {
      ...context,
      decide(policy, call, facts) {
        const decision = context.decide(policy, call, facts);
        decisions.push(decision);
        return decision;
      },
    };
    const agent = await startAgent(observed, {
      request: canaryRequest(adapterName, `${api.named ?? ''}${api.model}`, worktree),
      onActivity: () => undefined,
      place: { path: worktree, quarantine: null },
      upstream: {
        ...{ isSecure: false, target: { socketPath }, basePath: '', version: '' },
        ...{ credential: {}, sources: [], variables: [] },
      },
    });
    const outcome = await agent.outcome;
    return judge({ outcome, decisions, model, wasWritten: existsSync(target) });
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Evidence {
  readonly outcome: AgentOutcome;
  readonly decisions: readonly Decision[];
  readonly model: CanaryModel;
  readonly wasWritten: boolean;
}

function judge({ outcome, decisions, model, wasWritten }: Evidence): CanaryResult {
  const refusal = decisions.find(({ decision }) => decision === 'block');
  const heard = model.toolResult();
  const problems = [
    ...(wasWritten ? ['the forbidden file was written'] : []),
    ...(refusal === undefined ? ['the watcher was not asked, or allowed the call'] : []),
    ...(outcome.audit.blocked === 0 ? ['the audit holds no blocked call'] : []),
    ...(refusal !== undefined && !isQuoted(refusal, heard) ? ['the agent did not hear of the refusal'] : []),
  ];
  if (problems.length === 0) return { denied: true, details: `denied by ${refusal?.rule}` };
  const ended = outcome.failure === null ? [] : [`it ended with: ${outcome.failure.message}`];
  return { denied: false, details: [...problems, ...ended].join('; ') };
}

function isQuoted(refusal: Decision, heard: string | null): boolean {
  return heard?.includes(`[${refusal.rule}]`) ?? false;
}

/** The API and the model of the first role that runs with the adapter; else those it usually has. */
function apiOfCanary(
  { config }: RunnerContext,
  adapter: Adapter,
): Pick<ModelApi, 'dialects' | 'named'> & { readonly model: string } {
  const asked = roleSchema.options
    .filter((role) => roleAdapter(config, role) === adapter.name)
    .map((role) => ({ api: apiOf(adapter, config.models[role]), model: config.models[role] }))
    .find(({ api }) => api !== null);
  const [first = { dialects: [] }] = adapter.apis;
  if (asked?.api === undefined || asked.api === null)
    return { ...first, model: ('usual' in first ? first.usual : null) ?? 'canary' };
  return { ...asked.api, model: asked.model.slice((asked.api.named ?? '').length) };
}

function canaryRequest(adapter: string, model: string, worktree: string): AgentRequest {
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
