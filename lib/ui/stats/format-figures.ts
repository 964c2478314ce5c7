import { formatDuration } from '../../util/format-figures.ts';

/** A share as a person reads it; a dash where it isn't known. */
export function formatShare(value: number | null): string {
  return value === null ? '–' : `${Math.round(value * 100)} %`;
}

/** Seconds as a person says them; a dash where they aren't known. */
export function formatSeconds(value: number | null | undefined): string {
  return value == null ? '–' : formatDuration(value * 1_000);
}

/** The name of a health score. */
export function gradeOf(score: number | null): 'good' | 'fair' | 'poor' | 'unknown' {
  if (score === null) return 'unknown';
  return score >= 0.8 ? 'good' : score >= 0.6 ? 'fair' : 'poor';
}
