import type { CommandOptions } from '../../domain/command-args.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ChangesetDecision } from '../../domain/gates.ts';

/** The decision given on the command line; null: ask. Throws FlameError `contradiction` when there is more than one. */
export function decisionOf(options: CommandOptions['review']): ChangesetDecision | null {
  const given: ChangesetDecision[] = [];
  if (options.approve || options.override !== null)
    given.push({ kind: 'approve', ...(options.override === null ? {} : { override: options.override }) });
  if (options.reject !== null) given.push({ kind: 'reject', reason: options.reject });
  if (options.skip) given.push({ kind: 'skip' });
  if (given.length > 1) {
    throw new FlameError({
      kind: 'usage',
      code: 'contradiction',
      message: 'A changeset is approved, rejected or skipped, not several at once.',
      hints: ['git flame review -h'],
    });
  }
  return given[0] ?? null;
}
