import * as z from 'zod';
import { givenCommentsSchema } from '../../domain/state/line-comment.ts';

const mostViewed = 20_000;
const mostDrafts = 50;

const draftSchema = z.strictObject({
  /** The changeset by its content: `ID/COMMIT`. */
  changeset: z.string().min(1).max(300),
  comments: givenCommentsSchema,
  /** Unsent text in forms of answers, by field. */
  texts: z.record(z.string().max(100), z.string().max(20_000)),
});
const markSchema = z.string().min(1).max(5_000);

/** A review that a person has begun and not decided: it outlives a closed tab and a run that ended. */
export const unfinishedReviewSchema = z.object({
  /** Files by path and content that were marked as viewed. */
  viewed: z.array(markSchema).max(mostViewed).default([]),
  /** Comments that were not sent yet, the changeset written to last at the end. */
  drafts: z.array(draftSchema).max(mostDrafts).default([]),
});
export type UnfinishedReview = Readonly<z.infer<typeof unfinishedReviewSchema>>;

/** A change that a tab sends. */
export const reviewChangeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('viewed'), mark: markSchema, is: z.boolean() }),
  draftSchema.extend({ kind: z.literal('draft') }),
]);
type Keep = z.infer<typeof reviewChangeSchema>;

export const emptyUnfinishedReview: UnfinishedReview = { viewed: [], drafts: [] };

/** Adds or removes one entry; the oldest is dropped where there are too many. */
export function applyReviewChange(kept: UnfinishedReview, change: Keep): UnfinishedReview {
  if (change.kind === 'viewed') {
    const others = kept.viewed.filter((mark) => mark !== change.mark);
    return { ...kept, viewed: (change.is ? [...others, change.mark] : others).slice(-mostViewed) };
  }
  const { kind: _, ...draft } = change;
  const others = kept.drafts.filter(({ changeset }) => changeset !== draft.changeset);
  const isEmpty = draft.comments.length + Object.keys(draft.texts).length === 0;
  return { ...kept, drafts: (isEmpty ? others : [...others, draft]).slice(-mostDrafts) };
}
