import type * as z from 'zod';
import type { PageAnswer } from './page-server.ts';

/** What is answered where nothing is. */
export const notFound: PageAnswer = {
  kind: 'json',
  status: 404,
  value: { message: 'There is nothing here.' },
};

/** A refusal, for the page to show. */
export type Problem = Extract<PageAnswer, { readonly kind: 'json' }>;

export function problem(status: number, message: string): Problem {
  return { kind: 'json', status, value: { message } };
}

/** The first thing that is wrong, with where it is. */
export function sayIssue({ issues: [issue] }: z.ZodError): string {
  return issue === undefined ? 'That is no decision.' : `${issue.path.join('.')}: ${issue.message}`;
}
