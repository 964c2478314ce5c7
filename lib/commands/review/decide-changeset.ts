import { contradiction, nothingToKeep } from '../../domain/bad-input.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import type { CommandOptions } from '../../domain/shown/command.ts';

/** The decision given on the command line; null: ask. Throws FlameError `contradiction` when there is more than one. */
export function decisionOf(options: CommandOptions['review']): ChangesetDecision | null {
  const given: ChangesetDecision[] = [];
  const { override, message } = options;
  if (options.approve || override !== null)
    given.push({
      kind: 'approve',
      ...(override === null ? {} : { override }),
      ...(message === null ? {} : { message }),
    });
  const { reject: reason, keepWork: keep, tasks } = options;
  const part = tasks === null ? {} : { tasks };
  if (reason !== null) given.push({ kind: 'reject', reason, ...part, ...(keep ? { keep } : {}) });
  if (options.skip) given.push({ kind: 'skip' });
  if (given.length > 1) {
    throw contradiction('A changeset is approved, rejected or skipped, not several at once.', [
      'git flame review -h',
    ]);
  }
  if (options.takeBack !== null && given.length + (options.changeset === null ? 0 : 1) > 0)
    throw contradiction('--take-back names the changeset that waits again, and decides nothing about it.', [
      'git flame review --take-back GROUP',
    ]);
  requireReject(options);
  requireCommitOption(options, given[0]);
  requireApproved(options, given[0]);
  return given[0] ?? null;
}

function requireReject({ reject, keepWork, tasks }: CommandOptions['review']): void {
  if (reject !== null) return;
  if (tasks !== null)
    throw contradiction('--tasks says which tasks of a changeset go back alone: it goes with --reject.', [
      'git flame review --changeset GROUP --reject REASON --tasks ID',
    ]);
  if (!keepWork) return;
  throw nothingToKeep('--keep-work says what becomes of work that is rejected: it goes with --reject.', [
    'git flame review --changeset GROUP --reject REASON --keep-work',
  ]);
}

function requireApproved({ message }: CommandOptions['review'], decision?: ChangesetDecision): void {
  if (message === null || decision?.kind === 'approve') return;
  throw contradiction(
    '--message is what an approved changeset lands with: it goes with --approve or --override.',
    ['git flame review --changeset GROUP --approve --message MESSAGE'],
  );
}

function requireCommitOption({ commit }: CommandOptions['review'], decision?: ChangesetDecision): void {
  if (commit === null) return;
  const isId = /^[0-9a-f]{7,64}$/.test(commit);
  if (isId && decision?.kind === 'approve') return;
  throw new FlameError({
    kind: 'usage',
    code: 'bad-commit',
    message: isId
      ? '--commit says what --approve or --override is about.'
      : `--commit needs the id of a commit, at least its first 7 hex digits, not '${commit}'.`,
    hints: ['git flame status', 'git flame review -h'],
  });
}
