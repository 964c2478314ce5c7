import * as z from 'zod';
import { givenCommentsSchema, type LineComment } from '../../domain/state/line-comment.ts';

/** What a person has begun and not yet decided: it outlives a closed tab and a run that ended. */
export interface KeptReview {
  /** Files by path and content that were marked as viewed. */
  readonly viewed: readonly string[];
  /** Comments that were not sent yet, the changeset written to last at the end. */
  readonly drafts: readonly Draft[];
}

interface Draft {
  /** The changeset by its content: `ID/COMMIT`. */
  readonly changeset: string;
  readonly comments: readonly LineComment[];
  /** What was written in the dialog and not sent. */
  readonly reason: string;
  /** What it is to land with, where that was edited. */
  readonly message?: string | undefined;
}

const mostViewed = 20_000;
const mostDrafts = 50;

const draftSchema = z.strictObject({
  changeset: z.string().min(1).max(300),
  comments: givenCommentsSchema,
  reason: z.string().max(20_000),
  message: z.string().max(20_000).optional(),
});
const markSchema = z.string().min(1).max(5_000);

/** What a tab sends as it changes. */
export const keepSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('viewed'), mark: markSchema, is: z.boolean() }),
  draftSchema.extend({ kind: z.literal('draft') }),
]);
type Keep = z.infer<typeof keepSchema>;

export const keptReviewSchema = z.object({
  viewed: z.array(markSchema).max(mostViewed).default([]),
  drafts: z.array(draftSchema).max(mostDrafts).default([]),
});

export const nothingKept: KeptReview = { viewed: [], drafts: [] };

/** One thing more, or one less; what is oldest goes where there is too much. */
export function keepInReview(kept: KeptReview, change: Keep): KeptReview {
  if (change.kind === 'viewed') {
    const others = kept.viewed.filter((mark) => mark !== change.mark);
    return { ...kept, viewed: (change.is ? [...others, change.mark] : others).slice(-mostViewed) };
  }
  const { kind: _, ...draft } = change;
  const others = kept.drafts.filter(({ changeset }) => changeset !== draft.changeset);
  const isEmpty = draft.comments.length === 0 && draft.reason === '' && draft.message === undefined;
  return { ...kept, drafts: (isEmpty ? others : [...others, draft]).slice(-mostDrafts) };
}
