import { type AgentChoice, roleBudget, sessionBudget } from '../../domain/config/role-settings.ts';
import { priceTokens } from '../../domain/config/token-price.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { needsModel } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { Role } from '../../domain/role.ts';
import { tellOnce } from '../tell-once.ts';
import type { Workshop } from '../workshop.ts';

type Priced = Pick<Workshop, 'adapter' | 'config'>;

/**
 * Asked before anything is spent: a budget in dollars says nothing of a model whose price is not known, so nothing is started then. Where
 * tokens are the limit it is said that figures in dollars leave its agents out. Throws FlameError `no-price`.
 */
export function requirePrices(
  workshop: Priced & Pick<Workshop, 'events' | 'run'>,
  role: Role,
  choices: readonly AgentChoice[],
): void {
  for (const { adapter, model } of choices) {
    requirePrice(workshop, { adapter, model, role, budget: roleBudget(workshop.config, role) });
    if (!isUnpriced(workshop, { adapter, model })) continue;
    const message = `The price of the model ${model} is not known: limits in tokens alone hold its agents, and no figure in dollars counts them. models.prices says what it costs.`;
    tellOnce(workshop, message);
  }
}

/** Requires a price for one agent, with the budget it was given. */
export function requirePrice(
  workshop: Priced,
  { model, budget, adapter, role }: Pick<AgentRequest, 'model' | 'budget' | 'adapter' | 'role'>,
): void {
  const ofSession = sessionBudget(workshop.config);
  const isInUsd = [budget, ofSession].some(({ unit, limit }) => unit === 'usd' && limit > 0);
  if (!isInUsd || !isUnpriced(workshop, { adapter, model })) return;
  throw new FlameError({
    kind: 'refused',
    code: 'no-price',
    message: `The price of the model ${model} is not known, so the budget in dollars can't hold the ${role}.`,
    hints: [
      `say in .blueflame.yml what a million tokens cost: models: { prices: { '${model}': { input: 3, output: 15 } } }`,
      `or that it costs nothing, as on a server of your own (Ollama, llama.cpp): models: { prices: { '${model}': { input: 0, output: 0 } } }`,
      'or limit tokens: limits: { max_session_tokens: 2000000, token_budget: { worker_tokens: 500000 } }',
    ],
  });
}

function isUnpriced({ adapter: facts, config }: Priced, { adapter, model }: AgentChoice): boolean {
  if (adapter === 'none' || !needsModel(facts(adapter))) return false;
  return priceTokens(model, {}, config.models.prices) === null;
}
