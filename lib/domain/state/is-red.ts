import type { DiagnosticRun } from './verdict.ts';

/** Whether a diagnostic failed: what they were run on is passed or approved only with a reason. */
export function isRed({
  diagnostics,
}: {
  readonly diagnostics: readonly Pick<DiagnosticRun, 'exit_code'>[];
}): boolean {
  return diagnostics.some(({ exit_code: code }) => code !== 0);
}
