/** An object name as people read it: ten digits. */
export function shortId(objectId: string): string {
  return objectId.slice(0, 10);
}
