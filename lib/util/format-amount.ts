/** `$1.50`; amounts below a cent keep two digits that count: `$0.0042`. */
export function formatUsd(amount: number): string {
  if (amount > 0 && amount < 0.01) return `$${Number(amount.toPrecision(2))}`;
  return `$${amount.toFixed(2)}`;
}

/** `12,345 tokens`. */
export function formatTokens(tokens: number): string {
  return formatCount(tokens, 'token');
}

/** `$1.50, 12,345 tokens`; what is 0 is left out, unless both are. */
export function formatSpend(spend: { readonly cost_usd: number; readonly tokens: number }): string {
  const parts = [
    ...(spend.cost_usd > 0 || spend.tokens === 0 ? [formatUsd(spend.cost_usd)] : []),
    ...(spend.tokens > 0 ? [formatTokens(spend.tokens)] : []),
  ];
  return parts.join(', ');
}

/** `1 task`, `2 tasks`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `12,345`. */
export function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}
