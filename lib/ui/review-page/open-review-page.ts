import { type ServeOptions, servePage } from '../page/page-server.ts';
import { createReviewPage, type ReviewPageOptions, type ReviewPagePart } from './create-review-page.ts';

/** The review page of one command, as long as it runs. */
export interface ReviewPage extends Pick<ReviewPagePart, 'ask' | 'refresh'> {
  /** For the person: works until the command ends. */
  readonly url: string;
  /** See PageServer. */
  openingUrl(onUsed: () => void): string;
  /** Says in every tab that the run has ended, and stops serving. */
  close(): Promise<void>;
}

/** Serves the review page. See createReviewPage. */
export async function openReviewPage(
  options: ReviewPageOptions,
  serve: Pick<ServeOptions, 'stranger'> = {},
): Promise<ReviewPage> {
  const page = createReviewPage(options);
  const server = await servePage((request) => page.answer(request), serve);
  return {
    url: server.url,
    openingUrl: (onUsed) => server.openingUrl(onUsed),
    ask: (question, withdrawn) => page.ask(question, withdrawn),
    refresh: () => page.refresh(),
    close: async () => {
      await page.end();
      await server.close();
    },
  };
}
