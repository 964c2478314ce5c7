import type * as z from 'zod';

/** A refusal, for the page to show. */
export interface PageRefusal {
  readonly kind: 'json';
  readonly status: number;
  readonly value: { readonly message: string };
}

/** The answer where nothing is. */
export const notFoundRefusal: PageRefusal = createPageRefusal(404, 'Not found.');

export function createPageRefusal(status: number, message: string): PageRefusal {
  return { kind: 'json', status, value: { message } };
}

/** The first thing that is wrong, with where it is. */
export function describeFirstSchemaIssue({ issues: [issue] }: z.ZodError): string {
  return issue === undefined ? 'This is not a decision.' : `${issue.path.join('.')}: ${issue.message}`;
}
