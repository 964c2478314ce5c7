/** Of what a browser shows at once, and another process is told in one line. */
const mostShown = 2_000_000;

/** A diff, or its first lines and a last one that says what was cut and by which command it is seen whole. */
export function boundedDiff(diff: string, whole: string): string {
  if (diff.length <= mostShown) return diff;
  const end = diff.lastIndexOf('\n', mostShown - 1) + 1 || mostShown;
  return `${diff.slice(0, end)}\n[... diff cut here: ${end} of ${diff.length} characters shown; ${whole} ...]\n`;
}
