import * as z from 'zod';
import { createPageRefusal, describeFirstSchemaIssue } from '../page/page-refusals.ts';
import type { PageResponse } from '../page/page-server.ts';
import type { ReviewPagePreferences } from './page-facts.ts';
import { applyReviewChange, reviewChangeSchema, type UnfinishedReview } from './unfinished-review.ts';

/** Where what a person chose and began is read from and written to. */
export interface PageStorage {
  readonly preferences: {
    read(): Promise<ReviewPagePreferences>;
    write(preferences: ReviewPagePreferences): Promise<void>;
  };
  /** Reviews begun and not yet decided. */
  readonly kept: {
    read(): Promise<UnfinishedReview>;
    write(kept: UnfinishedReview): Promise<void>;
  };
}

/** State that outlasts a tab: the person's preferences for the page, and drafts. */
export class StoredPageState {
  readonly #preferences: PageStorage['preferences'];
  readonly #kept: PageStorage['kept'];
  #keeping: Promise<void> = Promise.resolve();

  constructor({ preferences, kept }: PageStorage) {
    this.#preferences = preferences;
    this.#kept = kept;
  }

  /** After all that was sent before. */
  async read(): Promise<{ readonly preferences: ReviewPagePreferences; readonly kept: UnfinishedReview }> {
    const preferences = await this.#preferences.read();
    await this.#keeping;
    return { preferences, kept: await this.#kept.read() };
  }

  async prefer(body: unknown): Promise<PageResponse> {
    const parsed = preferencesSchema.safeParse(body);
    if (!parsed.success) return createPageRefusal(400, 'This is not a preference.');
    await this.#preferences.write(parsed.data);
    return { kind: 'json', value: {} };
  }

  async keep(body: unknown): Promise<PageResponse> {
    const parsed = reviewChangeSchema.safeParse(body);
    if (!parsed.success) return createPageRefusal(400, describeFirstSchemaIssue(parsed.error));
    // One after the other: each is a change of what the one before left.
    const kept = this.#keeping.then(async () => {
      await this.#kept.write(applyReviewChange(await this.#kept.read(), parsed.data));
    });
    this.#keeping = kept.catch(() => undefined);
    await kept;
    return { kind: 'json', value: {} };
  }
}

/** The page's request to decide. The commit is the one that was shown: an approval is of nothing else. */
export const decideRequestSchema = z.strictObject({
  changeset: z.string().max(200),
  commit: z.string().max(64),
  decision: z.unknown(),
});

/** The request to take a decision back. */
export const takeBackRequestSchema = z.strictObject({ changeset: z.string().max(200) });

export const preferencesSchema = z.strictObject({
  layout: z.enum(['side', 'line']),
  theme: z.enum(['auto', 'dark', 'light']),
  order: z.enum(['chapters', 'paths']).default('chapters'),
});
