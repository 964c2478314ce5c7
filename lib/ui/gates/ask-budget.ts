import type { BudgetDecision, BudgetQuestion } from '../../domain/ports/gates.ts';
import { formatTokens, formatUsd } from '../../util/format-amount.ts';
import { askLine, choose } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { waitingGates } from './waits-for-person.ts';

/** The session's budget is spent: add to it, or stop. */
export async function askBudget(context: GateContext, question: BudgetQuestion): Promise<BudgetDecision> {
  const { spent, limit, unit } = question;
  const format = unit === 'usd' ? formatUsd : formatTokens;
  const asking = context.question(waitingGates.budget);
  context.say(context.style.bold(`The session's budget is spent: ${format(spent)} of ${format(limit)}.`));
  const key = await choose(asking, [
    { key: 'r', label: '(r)aise' },
    { key: 's', label: '(s)top' },
  ]);
  if (key === 's') return { kind: 'stop' };
  for (;;) {
    const answer = await askLine(asking, `Add how many ${unit === 'usd' ? 'USD' : 'tokens'} to the limit? `);
    const amount = parseAmount(answer, unit);
    if (amount !== null) return { kind: 'raise', amount };
    context.say(unit === 'usd' ? 'Type an amount like 5 or 2.50.' : 'Type a whole number of tokens.');
  }
}

function parseAmount(text: string, unit: 'usd' | 'tokens'): number | null {
  const digits = text.trim().replace(/^\$/, '').replaceAll(',', '');
  const pattern = unit === 'usd' ? /^\d{1,9}(?:\.\d{1,4})?$/ : /^\d{1,12}$/;
  const amount = pattern.test(digits) ? Number(digits) : 0;
  return amount > 0 ? amount : null;
}
