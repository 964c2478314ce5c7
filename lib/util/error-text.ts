// How test runners and compilers begin a line about what went wrong.
const failureWords =
  /^\s*(?:not ok\b(?!.*# (?:TODO|SKIP))|FAIL(?:ED|URE)?\b|ERROR\b|✖|✗|✘|×|● |--- FAIL|E {3}|error(?:\[|:)|[\w.]*(?:Error|Exception)\b(?=[:\s(])|thread '.*' panicked)/;
const context = 2;
/** Stands for lines that were left out. */
export const omittedLinesMark = '…';

/** The line of a program's output that says most about why it failed; null: it said nothing. */
export function pickFailureLine(lines: readonly string[]): string | null {
  const said = lines.filter((line) => line.trim() !== '');
  return said.findLast((line) => failureWords.test(line)) ?? said.at(-1) ?? null;
}

/** Returns at most so many lines of output: those that report a failure, each with what follows it, then its end. */
export function pickFailureLines(output: string, most: number): readonly string[] {
  const lines = output.trimEnd().split('\n');
  if (lines.length <= most) return lines;
  const kept = new Set<number>();
  const half = Math.floor(most / 2);
  for (const [at, line] of lines.entries())
    if (failureWords.test(line))
      for (let next = at; next <= at + context && kept.size < half; next += 1) kept.add(next);
  for (let at = lines.length - 1; at >= 0 && kept.size < most; at -= 1) kept.add(at);
  const shown = [...kept].filter((at) => at < lines.length).sort((a, b) => a - b);
  return shown.flatMap((at, index) => {
    const isNext = index === 0 ? at === 0 : at === (shown[index - 1] ?? 0) + 1;
    return [...(isNext || index === 0 ? [] : [omittedLinesMark]), lines[at] ?? ''];
  });
}

/** Cuts output to so many characters, and leaves out what lies between the lines that report a failure and the end. */
export function cutToFailureText(output: string, most: number): string {
  if (output.length <= most) return output;
  const head: string[] = [];
  let left = Math.floor(most / 2);
  for (const line of withContext(output.split('\n'))) {
    left -= line.length + 1;
    if (left < 0) break;
    head.push(line);
  }
  const start = `${head.join('\n')}\n${omittedLinesMark}\n`;
  const end = output.slice(start.length - most);
  return head.every((line) => end.includes(line)) ? output.slice(-most) : start + end;
}

/** Returns the lines that report a failure with what follows them, each once. */
function withContext(lines: readonly string[]): readonly string[] {
  const near = (at: number): boolean =>
    lines.slice(Math.max(0, at - context), at + 1).some((line) => failureWords.test(line));
  return lines.filter((_, at) => near(at));
}

// Blanks, control characters, and what Unicode says to leave out when it can't be shown; the empty Braille cell too.
const unseen = /[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Whether a text holds anything that can be seen. */
export function isNonBlank(text: string): boolean {
  return text.replace(unseen, '') !== '';
}

/** The message of what was thrown, an Error or not. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
