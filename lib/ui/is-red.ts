import type { Changeset } from '../domain/changeset.ts';

/** Whether a diagnostic failed on the merged tree: such a changeset needs an override with a reason. */
export function isRed(changeset: Pick<Changeset, 'diagnostics'>): boolean {
  return changeset.diagnostics.some((run) => run.exit_code !== 0);
}
