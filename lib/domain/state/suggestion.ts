const block = /^```suggestion[ \t]*\n(?:([\s\S]*?)\n)?```[ \t]*$/m;

/** The lines that a comment would have in the place of those it is about; null: it suggests nothing. */
export function suggestedLines(text: string): readonly string[] | null {
  const found = block.exec(text.replace(/\r\n?/g, '\n'));
  return found === null ? null : (found[1]?.split('\n') ?? []);
}

/** A comment that suggests these lines. */
export function asSuggestion(lines: readonly string[]): string {
  return ['```suggestion', ...lines, '```'].join('\n');
}
