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

/** Milliseconds as a person says them: `850 ms`, `3.2 s`, `2m 05s`, `1h 02m`, `4d 03h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  if (hours >= 48) return `${Math.floor(hours / 24)}d ${String(hours % 24).padStart(2, '0')}h`;
  if (hours > 0) return `${hours}h ${String(minutes).padStart(2, '0')}m`;
  return `${minutes}m ${String(seconds % 60).padStart(2, '0')}s`;
}

/** A time that passes, in whole seconds below a minute: tenths would flicker. */
export function formatElapsed(ms: number): string {
  return ms < 59_950 ? `${Math.max(0, Math.floor(ms / 1_000))} s` : formatDuration(ms);
}

/** `2026-02-06 14:30 UTC` of an ISO time; what isn't one stays as it is. */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(time.getTime() >= 0 ? time.toISOString() : '');
  return match === null ? iso : `${match[1]} ${match[2]} UTC`;
}

/** `14:30` of an ISO time, by the clock on this machine's wall; what isn't one stays as it is. */
export function formatClock(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** `3-5, 9, …`: first and last lines of ranges, at most `most` of them. */
export function formatLineRanges(ranges: readonly (readonly [number, number])[], most: number): string {
  const shown = ranges.slice(0, most).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return [...shown, ...(ranges.length > most ? ['…'] : [])].join(', ');
}
