import * as z from 'zod';
import { describeFirstIssue, problem } from '../page/page-answers.ts';
import type { PageAnswer } from '../page/page-server.ts';
import { type KeptReview, keepInReview, keepSchema } from './kept-review.ts';
import type { PagePreferences } from './page-facts.ts';

/** Where what a person chose and began is read from and written to. */
export interface PageStorage {
  readonly preferences: {
    read(): Promise<PagePreferences>;
    write(preferences: PagePreferences): Promise<void>;
  };
  /** Reviews begun and not yet decided. */
  readonly kept: {
    read(): Promise<KeptReview>;
    write(kept: KeptReview): Promise<void>;
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
  async read(): Promise<{ readonly preferences: PagePreferences; readonly kept: KeptReview }> {
    const preferences = await this.#preferences.read();
    await this.#keeping;
    return { preferences, kept: await this.#kept.read() };
  }

  async prefer(body: unknown): Promise<PageAnswer> {
    const parsed = preferencesSchema.safeParse(body);
    if (!parsed.success) return problem(400, 'This is not a preference.');
    await this.#preferences.write(parsed.data);
    return { kind: 'json', value: {} };
  }

  async keep(body: unknown): Promise<PageAnswer> {
    const parsed = keepSchema.safeParse(body);
    if (!parsed.success) return problem(400, describeFirstIssue(parsed.error));
    // One after the other: each is a change of what the one before left.
    const kept = this.#keeping.then(async () => {
      await this.#kept.write(keepInReview(await this.#kept.read(), parsed.data));
    });
    this.#keeping = kept.catch(() => undefined);
    await kept;
    return { kind: 'json', value: {} };
  }
}

/** The page's request to decide. The commit is the one that was shown: an approval is of nothing else. */
export const decideSchema = z.strictObject({
  changeset: z.string().max(200),
  commit: z.string().max(64),
  decision: z.unknown(),
});

/** The request to take a decision back. */
export const takeBackSchema = z.strictObject({ changeset: z.string().max(200) });

export const preferencesSchema = z.strictObject({
  layout: z.enum(['side', 'line']),
  theme: z.enum(['auto', 'dark', 'light']),
});
