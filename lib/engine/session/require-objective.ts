import { FlameError } from '../../domain/flame-error.ts';
import { longestObjective, sessionSchema } from '../../domain/state/session.ts';
import { formatCount } from '../../util/format-amount.ts';

/** Refuses, before anything is stored, an objective that no session can hold. Throws FlameError `bad-objective`. */
export function requireObjective(objective: string): void {
  const parsed = sessionSchema.shape.objective.safeParse(objective);
  if (parsed.success) return;
  const why =
    objective.length > longestObjective
      ? `has ${formatCount(objective.length, 'character')}; it may have ${formatCount(longestObjective, 'character')}`
      : (parsed.error.issues[0]?.message ?? 'is no text');
  throw new FlameError({
    kind: 'usage',
    code: 'bad-objective',
    message: `The objective ${why}.`,
    hints: ["git flame run 'The file SPEC.md says what is wanted'"],
  });
}
