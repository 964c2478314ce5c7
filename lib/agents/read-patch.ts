import type { ToolCall } from '../domain/policy.ts';

/** The files a patch writes, each as a call of its own; none where it holds a line that isn't known. */
export function readPatch(patch: unknown, cwd: string): readonly ToolCall[] {
  if (typeof patch !== 'string') return [];
  // The program forgives blanks before its marks, and a line of a file begins with one, `+` or `-`.
  const marks = [...patch.matchAll(/^[^\S\n]*\*\*\* ?(.*)$/gm)].map(([, text = '']) => text.trim());
  const calls = marks.filter((mark) => !/^(?:Begin Patch|End Patch|End of File)$/.test(mark)).map(readMark);
  return calls.every((call) => call !== null) ? calls.map((call) => ({ ...call, cwd })) : [];
}

function readMark(mark: string): Omit<ToolCall, 'cwd'> | null {
  const found = /^(Add File|Update File|Delete File|Move to): (.+)$/.exec(mark);
  const [, kind = '', path = ''] = found ?? [];
  if (found === null) return null;
  return { tool_name: kind === 'Add File' ? 'Write' : 'Edit', tool_input: { file_path: path.trim() } };
}
