import { judgeName, type PathContext } from '../judge-path.ts';
import { normalizeAbsolute } from '../resolve-path.ts';
import type { Objection } from '../rules.ts';

/**
 * Code on the command line runs as a file of the worktree would; the cell holds it. A blocked path that is in
 * it as a string of its own is refused all the same: it shows what the code is for.
 */
export function judgeInlineCode({ policy, cwd }: PathContext, code: string): Objection | null {
  for (const text of textsOf(code)) {
    const path = normalizeAbsolute(text.startsWith('/') ? text : `${cwd}/${text}`);
    if (!path.startsWith(`${policy.worktree}/`)) continue;
    const found = judgeName(policy, path.slice(policy.worktree.length + 1), 'read');
    if (found !== null) return found;
  }
  return null;
}

/** The strings in quotes that could be paths, in any of the three kinds of quotes. */
function textsOf(code: string): readonly string[] {
  return ['"', "'", '`'].flatMap((quote) =>
    code
      .split(quote)
      .flatMap((piece) => piece.split(/\s+/))
      .filter((one) => /^[\w.@~+/-]{2,200}$/.test(one) && /^[./]|\/|\.\w+$/.test(one)),
  );
}
