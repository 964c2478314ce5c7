import { sessionBudget } from '../../domain/config/role-settings.ts';
import { priceTokens } from '../../domain/config/token-price.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { needsModel } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { Workshop } from '../workshop.ts';

/** A budget in dollars says nothing of a model without a price: nothing is started then. */
export function requirePrice(
  workshop: Pick<Workshop, 'adapter' | 'config'>,
  { model, budget, adapter, role }: Pick<AgentRequest, 'model' | 'budget' | 'adapter' | 'role'>,
): void {
  const ofSession = sessionBudget(workshop.config);
  const isInUsd = [budget, ofSession].some(({ unit, limit }) => unit === 'usd' && limit > 0);
  if (!isInUsd || !needsModel(workshop.adapter(adapter))) return;
  if (priceTokens(model, {}, workshop.config.models.prices) !== null) return;
  throw new FlameError({
    kind: 'refused',
    code: 'no-price',
    message: `The price of the model ${model} is not known, so the budget in dollars can't hold the ${role}.`,
    hints: [
      `say in .blueflame.yml what a million tokens cost: models: { prices: { '${model}': { input: 3, output: 15 } } }`,
      'or limit tokens: limits: { max_session_tokens: 2000000, token_budget: { worker_tokens: 500000 } }',
    ],
  });
}
