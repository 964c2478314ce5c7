import { formatDuration } from '../../util/format-time.ts';

/** A share as a person reads it; a dash where it isn't known. */
export function formatShare(value: number | null): string {
  return value === null ? '–' : `${Math.round(value * 100)} %`;
}

/** Seconds as a person says them; a dash where they aren't known. */
export function formatSeconds(value: number | null | undefined): string {
  return value == null ? '–' : formatDuration(value * 1_000);
}
