import type * as z from 'zod';

/** A refusal, for the page to show. */
export interface Problem {
  readonly kind: 'json';
  readonly status: number;
  readonly value: { readonly message: string };
}

/** The answer where nothing is. */
export const notFound: Problem = problem(404, 'Not found.');

export function problem(status: number, message: string): Problem {
  return { kind: 'json', status, value: { message } };
}

/** The first thing that is wrong, with where it is. */
export function describeFirstIssue({ issues: [issue] }: z.ZodError): string {
  return issue === undefined ? 'This is not a decision.' : `${issue.path.join('.')}: ${issue.message}`;
}
