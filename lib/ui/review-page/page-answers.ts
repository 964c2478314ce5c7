import type * as z from 'zod';
import type { ChangesetDecision } from '../../domain/ports/gates.ts';
import { saysSomething } from '../../util/says-something.ts';
import type { decideSchema } from './page-request.ts';
import type { PageAnswer } from './page-server.ts';

/** What is answered where nothing is. */
export const notFound: PageAnswer = {
  kind: 'json',
  status: 404,
  value: { message: 'There is nothing here.' },
};

/** A refusal, for the page to show. */
export function problem(status: number, message: string): PageAnswer {
  return { kind: 'json', status, value: { message } };
}

/** The first thing that is wrong, with where it is. */
export function sayIssue({ issues: [issue] }: z.ZodError): string {
  return issue === undefined ? 'That is no decision.' : `${issue.path.join('.')}: ${issue.message}`;
}

type Given = ReturnType<typeof decideSchema.parse>['decision'];

/** The decision as the engine takes it: without what was left empty. */
export function withoutGaps(given: Given, commit: string): ChangesetDecision {
  if (given.kind === 'skip') return { kind: 'skip' };
  if (given.kind === 'reject') {
    const { reason, comments, keep } = given;
    return {
      ...{ kind: 'reject', reason: reason.trim() },
      ...(comments.length === 0 ? {} : { comments }),
      ...(keep ? { keep } : {}),
    };
  }
  const override = given.override?.trim() ?? '';
  return {
    ...{ kind: 'approve', commit },
    ...(given.comments.length === 0 ? {} : { comments: given.comments }),
    ...(saysSomething(override) ? { override } : {}),
  };
}
