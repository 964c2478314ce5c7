/** Whether the review page is served below the board. */
export const hasReview = document.body.dataset.review === 'true';

/** Where a changeset is reviewed. */
export function addressOfReview(changeset: string): string {
  return `/review/${location.search}#${encodeURIComponent(changeset)}`;
}
