import {
  type AdapterAndModel,
  chooseAdapterAndModel,
  findRoleAdapter,
  readRoleBudget,
  readSessionBudget,
} from '../../domain/config/role-adapter-and-model.ts';
import { priceTokens } from '../../domain/config/token-price.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import { adapterTalksToModel, findModelApiOfAdapter } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { Role } from '../../domain/role.ts';
import { expandTaskAttempts } from '../../domain/state/task-facts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { type RunContext, warnOnce } from '../run-context.ts';

/**
 * Finds out, once for each CLI and model, whether tasks could run on this machine, which joined: its programs are its
 * own. What could not is said and left to the other machines, instead of failing here what does well there.
 */
export async function findAdaptersUnusableHere(context: RunContext, tasks: readonly Task[]): Promise<void> {
  const { usable } = context.run;
  for (const task of tasks.flatMap(expandTaskAttempts)) {
    const name = nameOf(context, task);
    if (usable.has(name)) continue;
    const why = await objection(context, task);
    usable.set(name, why === null);
    if (why !== null)
      warnOnce(context, `Other machines do the tasks that run with ${name.trim()}: ${why.message}`, {
        details: why.hints,
      });
  }
}

/** Whether nothing is known that keeps a task from running on this machine. */
export function canTaskRunHere({ config, run }: Pick<RunContext, 'config' | 'run'>, task: Task): boolean {
  return (
    run.usable.size === 0 || expandTaskAttempts(task).every((one) => run.usable.get(nameOf({ config }, one)) !== false)
  );
}

function nameOf({ config }: Pick<RunContext, 'config'>, task: Task): string {
  const { adapter, model } = chooseAdapterAndModel(config, 'worker', task);
  return `${adapter} ${model}`;
}

async function objection(context: RunContext, task: Task): Promise<FlameError | null> {
  const { adapter } = chooseAdapterAndModel(context.config, 'worker', task);
  try {
    await context.agents.checkAdapter(adapter);
    await requireUsableTaskAdapters(context, 'worker', [task]);
    return null;
  } catch (error) {
    if (error instanceof FlameError) return error;
    throw error;
  }
}

/**
 * Proves, once for each configuration, adapter and model API, that a call which must be denied is denied, and that
 * there is a sandbox where one is required. Throws FlameError `no-sandbox`, `shell-not-pinned`, `cell-not-sealed` or
 * `canary-failed`; no agent starts then.
 */
export function proveDeniedCallsAreDenied(context: RunContext, adapter: string, model: string): Promise<void> {
  const name = `${adapter} ${findModelApiOfAdapter(context.adapter(adapter), model)?.provider ?? ''}`;
  const proof = context.proofs.get(name) ?? prove(context, adapter, model);
  context.proofs.set(name, proof);
  return proof;
}

async function prove(context: RunContext, adapter: string, model: string): Promise<void> {
  await requireSandbox(context, adapter);
  const { denied, details } = await context.agents.canary(adapter, model);
  if (context.adapter(adapter).calls === null) return;
  context.events.emit({ event: 'canary', result: denied ? 'denied' : 'failed', details });
  if (denied) return;
  throw new FlameError({
    kind: 'refused',
    code: 'canary-failed',
    message: `The canary call of ${adapter} was not denied. Its tool calls would go unchecked, so no agent starts.`,
    details: [details],
    hints: [
      /could not be started|no cell/i.test(details)
        ? 'git flame doctor'
        : `Check the version of ${adapter}, then: git flame run`,
    ],
  });
}

/**
 * To be asked before a person approves or a task is claimed: says that there is no sandbox, or throws FlameError
 * `no-sandbox` where there has to be one, or `shell-not-pinned` where no sandbox keeps the adapter to the shell that is
 * judged.
 */
export async function requireSandbox(
  context: Pick<RunContext, 'adapter' | 'agents' | 'config' | 'events' | 'gates' | 'run'>,
  adapter: string,
): Promise<void> {
  const sandbox = await context.agents.sandbox();
  if (context.adapter(adapter).takesAccountShell && sandbox.kind !== 'bubblewrap')
    throw shellNotPinned(adapter, sandbox);
  if (sandbox.kind !== 'none') {
    warn(context, 'The sandbox is weaker here than on other machines. For details: git flame doctor', sandbox);
    return;
  }
  // Commands that a task brings, which the configuration chose for no role, need a cell as well.
  const isOffered = findRoleAdapter(context.config, 'worker') === adapter;
  // Where no person reads a warning, the warning permits nothing.
  const isNeeded = adapterTalksToModel(context.adapter(adapter)) || !isOffered || !context.gates.isInteractive;
  if (context.config.sandbox.require ?? isNeeded) {
    throw new FlameError({
      kind: 'refused',
      code: 'no-sandbox',
      message: 'Agents need a sandbox, and this machine has none.',
      details: sandbox.missing,
      hints: [...sandbox.cure, 'Or accept the risk in .blueflame.yml: sandbox: { require: false }'],
    });
  }
  warn(
    context,
    'No sandbox: only the watcher and the post-check confine what agents run, not the operating system.',
    sandbox,
  );
}

/** No setting accepts this: its rules about commands would be rules about another language. */
function shellNotPinned(
  adapter: string,
  { missing, cure }: { readonly missing: readonly string[]; readonly cure: readonly string[] },
): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'shell-not-pinned',
    message: `${adapter} runs commands in your account's shell or in one that its model names, but the rules judge bash. Only bubblewrap can pin it to bash, and bubblewrap makes no cell here.`,
    details: missing,
    hints: [...cure, 'Or give its roles to another CLI in .blueflame.yml: roles: { worker: { adapter: claude } }'],
    data: { adapter },
  });
}

/** Warns of missing enforcement once a run, for all adapters together. */
function warn(
  context: Pick<RunContext, 'events' | 'run'>,
  message: string,
  { missing }: { readonly missing: readonly string[] },
): void {
  if (missing.length > 0) warnOnce(context, message, { details: missing });
}

type Priced = Pick<RunContext, 'adapter' | 'config'>;

/**
 * Asked before anything is spent: a budget in dollars says nothing of a model whose price is not known, so nothing is
 * started then. Where tokens are the limit it is said that figures in dollars leave its agents out. Throws FlameError
 * `no-price`.
 */
export function requirePrices(
  context: Priced & Pick<RunContext, 'events' | 'run'>,
  role: Role,
  choices: readonly AdapterAndModel[],
): void {
  for (const { adapter, model } of choices) {
    requirePrice(context, { adapter, model, role, budget: readRoleBudget(context.config, role) });
    if (!isUnpriced(context, { adapter, model })) continue;
    const message = `The price of the model ${model} is not known: only limits in tokens apply to its agents, and no figure in dollars includes them. Set its price in models.prices.`;
    warnOnce(context, message);
  }
}

/** Requires a price for one agent, with the budget it was given. */
export function requirePrice(
  context: Priced,
  { model, budget, adapter, role }: Pick<AgentRequest, 'model' | 'budget' | 'adapter' | 'role'>,
): void {
  const ofSession = readSessionBudget(context.config);
  const isInUsd = [budget, ofSession].some(({ unit, limit }) => unit === 'usd' && limit > 0);
  if (!isInUsd || !isUnpriced(context, { adapter, model })) return;
  throw refusedError(
    'no-price',
    `The price of the model ${model} is not known, so the budget in dollars can't limit the ${role}.`,
    [
      `set the price of a million tokens in .blueflame.yml: models: { prices: { '${model}': { input: 3, output: 15 } } }`,
      `or set it to 0, as for a server of your own (Ollama, llama.cpp): models: { prices: { '${model}': { input: 0, output: 0 } } }`,
      'or limit tokens: limits: { max_session_tokens: 2000000, token_budget: { worker_tokens: 500000 } }',
    ],
  );
}

function isUnpriced({ adapter: facts, config }: Priced, { adapter, model }: AdapterAndModel): boolean {
  if (adapter === 'none' || !adapterTalksToModel(facts(adapter))) return false;
  return priceTokens(model, {}, config.models.prices) === null;
}

/**
 * Checks the adapters that tasks chose, before one of them is claimed: a role's own adapter was checked when the
 * command began. Throws what `checkAdapterVersion`, `requireSandbox` and `requirePrices` throw.
 */
export async function requireUsableTaskAdapters(
  context: RunContext,
  role: Role,
  tasks: readonly Task[],
): Promise<void> {
  requirePrices(
    context,
    role,
    tasks.map((task) => chooseAdapterAndModel(context.config, role, task)),
  );
  const usual = findRoleAdapter(context.config, role);
  const chosen = new Set(tasks.map((task) => findRoleAdapter(context.config, role, task)));
  for (const name of chosen) {
    if (name === 'none') continue;
    if (name !== usual) await context.agents.checkAdapter(name);
    await requireSandbox(context, name);
  }
}
