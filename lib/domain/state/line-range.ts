/** Lines of a file that are spoken of together: `to`, the last one, is left out where it is one line. */
export interface LineRange {
  readonly line: number;
  readonly to?: number | undefined;
}

/** `12`, or `12-15`; lines of the old side have a minus in front. */
export function renderLineRange({ line, to, side }: LineRange & { readonly side?: 'old' | 'new' }): string {
  const sign = side === 'old' ? '-' : '';
  return to === undefined || to === line ? `${sign}${line}` : `${sign}${line}-${to}`;
}

// As in Markdown: a fence that is longer than any in its lines ends it, and nothing else does.
const block = /^(`{3,})suggestion[ \t]*\n(?:([\s\S]*?)\n)?\1[ \t]*$/m;

/** The lines that a comment suggests instead of those it is about; null: it suggests nothing. */
export function parseSuggestedLines(text: string): readonly string[] | null {
  const found = block.exec(text.replace(/\r\n?/g, '\n'));
  return found === null ? null : (found[2]?.split('\n') ?? []);
}

/** The text of a comment beside its suggestion; '' where that is all. */
export function stripSuggestion(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(block, '').trim();
}

/** A comment that suggests these lines. */
export function renderSuggestionComment(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.map((line) => /^`*/.exec(line)?.[0].length ?? 0));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}suggestion`, ...lines, fence].join('\n');
}
