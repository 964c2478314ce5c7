/** An object name as people read it. */
export function shortId(objectId: string): string {
  return objectId.slice(0, 10);
}
