import * as z from 'zod';
import { givenCommentsSchema, type LineComment } from '../../domain/state/line-comment.ts';

/** A review that a person has begun and not decided: it outlives a closed tab and a run that ended. */
export interface UnfinishedReview {
  /** Files by path and content that were marked as viewed. */
  readonly viewed: readonly string[];
  /** Comments that were not sent yet, the changeset written to last at the end. */
  readonly drafts: readonly Draft[];
}

interface Draft {
  /** The changeset by its content: `ID/COMMIT`. */
  readonly changeset: string;
  readonly comments: readonly LineComment[];
  /** Unsent text in forms of answers, by field. */
  readonly texts: Readonly<Record<string, string>>;
}

const mostViewed = 20_000;
const mostDrafts = 50;

const draftSchema = z.strictObject({
  changeset: z.string().min(1).max(300),
  comments: givenCommentsSchema,
  texts: z.record(z.string().max(100), z.string().max(20_000)),
});
const markSchema = z.string().min(1).max(5_000);

/** A change that a tab sends. */
export const reviewChangeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('viewed'), mark: markSchema, is: z.boolean() }),
  draftSchema.extend({ kind: z.literal('draft') }),
]);
type Keep = z.infer<typeof reviewChangeSchema>;

export const unfinishedReviewSchema = z.object({
  viewed: z.array(markSchema).max(mostViewed).default([]),
  drafts: z.array(draftSchema).max(mostDrafts).default([]),
});

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
