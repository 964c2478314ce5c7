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

/** `2026-02-06 14:30 UTC` of an ISO time; what isn't one stays as it is. */
export function formatTime(iso: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(new Date(iso).getTime() >= 0 ? toUtc(iso) : '');
  return match === null ? iso : `${match[1]} ${match[2]} UTC`;
}

/** `14:30` of an ISO time, by the clock on this machine's wall; what isn't one stays as it is. */
export function formatClock(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

function toUtc(iso: string): string {
  return new Date(iso).toISOString();
}
