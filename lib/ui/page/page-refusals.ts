import type * as z from 'zod';
import { FlameError } from '../../domain/flame-error.ts';
import { makePrintable } from './escape-html.ts';
import type { PageResponse } from './page-server.ts';

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

/** What was read or done for a request, every text printable (null: it isn't there), or why it was refused. */
export async function answerOrRefuse(act: () => Promise<object | null>): Promise<PageResponse> {
  try {
    const value = await act();
    return value === null ? notFoundRefusal : { kind: 'json', value: makePrintable(value) };
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const { message, lines, hints } = error;
    const text = [message, ...lines, ...hints.map((hint) => `In a terminal: ${hint}`)].join('\n');
    return createPageRefusal(409, makePrintable(text));
  }
}

/** The first thing that is wrong, with where it is. */
export function describeFirstSchemaIssue({ issues: [issue] }: z.ZodError): string {
  return issue === undefined ? 'This is not a decision.' : `${issue.path.join('.')}: ${issue.message}`;
}
