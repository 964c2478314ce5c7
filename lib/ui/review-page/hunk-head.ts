/** Where a hunk begins on each side, and how many lines it has there. */
export interface HunkHead {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** `@@ -16,7 +16,9 @@`, as git writes it: a length of 1 is left out. */
export function renderHunkHead({ oldStart, oldCount, newStart, newCount }: HunkHead): string {
  return `@@ -${range(oldStart, oldCount)} +${range(newStart, newCount)} @@`;
}

/** Parses a hunk head at a text's start, and what follows; null: there is none. */
export function parseHunkHead(text: string): { readonly head: HunkHead; readonly rest: string } | null {
  const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
  if (found === null) return null;
  const [all, oldStart, oldCount = '1', newStart, newCount = '1'] = found;
  const head = {
    oldStart: Number(oldStart),
    oldCount: Number(oldCount),
    newStart: Number(newStart),
    newCount: Number(newCount),
  };
  return { head, rest: text.slice(all.length) };
}

function range(start: number, count: number): string {
  return count === 1 ? `${start}` : `${start},${count}`;
}
