// See the CommonMark spec, fenced code blocks.
const fence = /^ {0,3}(?:`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;

/**
 * True if some lines of a Markdown file begin within a block of code. A fence that names a language opens one; null: no
 * such fence and an odd number of others, so it is unknown.
 */
export function beginsInFence(text: string): boolean | null {
  const names = text.split('\n').flatMap((line) => fence.exec(line)?.[1] ?? []);
  const named = names.findIndex((name) => name !== '');
  if (named >= 0) return named % 2 === 1;
  return names.length % 2 === 0 ? false : null;
}
