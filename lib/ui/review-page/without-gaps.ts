import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import { saysSomething } from '../../util/says-something.ts';
import type { decideSchema } from './page-request.ts';

type Given = ReturnType<typeof decideSchema.parse>['decision'];

/** The decision as the engine takes it: without what was left empty. */
export function withoutGaps(given: Given, commit: string): ChangesetDecision {
  if (given.kind === 'skip') return { kind: 'skip' };
  if (given.kind === 'suggest') return { kind: 'suggest', comments: given.comments };
  if (given.kind === 'reject') {
    const { reason, comments, keep, tasks } = given;
    return {
      ...{ kind: 'reject', reason: reason.trim() },
      ...(tasks === undefined ? {} : { tasks }),
      ...(comments.length === 0 ? {} : { comments }),
      ...(keep ? { keep } : {}),
    };
  }
  const override = given.override?.trim() ?? '';
  return {
    ...{ kind: 'approve', commit },
    ...(given.comments.length === 0 ? {} : { comments: given.comments }),
    ...(saysSomething(override) ? { override } : {}),
    ...(saysSomething(given.message) ? { message: given.message.trim() } : {}),
  };
}
