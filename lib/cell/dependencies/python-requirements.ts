import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

const version =
  '(?:\\d+!)?\\d+(?:\\.\\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview|post|rev|r|dev)[-_.]?\\d*)*(?:\\+[a-z0-9]+)?';
// pip takes a name for a path where it has a slash, or ends as an archive does.
const pinned = new RegExp(
  `^[a-z0-9](?:[\\w.-]*[a-z0-9])?\\s*(?:\\[[\\w\\s,.-]*\\])?\\s*==\\s*${version}\\s*(?:;[\\w\\s.<>=!~'"(),-]*?)?(?:\\s+--hash[= ]\\w+:[0-9a-f]+)*$`,
  'i',
);
const another = /^(?:-r|-c|--requirement|--constraint)[ =]?\s*([\w./-]+\.txt)$/;

/**
 * The requirement files that pip reads from these on, by their paths in a worktree, where every line of them is
 * `name==version`, with extras, markers and hashes, or names another such file. null: one says more than that.
 */
export async function pinnedPythonFiles(
  root: string,
  first: readonly string[],
): Promise<readonly string[] | null> {
  const found = new Set<string>();
  for (const waiting = [...first.map((name) => normalize(name))]; waiting.length > 0; ) {
    const name = waiting.pop() ?? '';
    if (found.has(name)) continue;
    if (name.startsWith('/') || name.startsWith('..')) return null;
    found.add(name);
    const text = await readFile(join(root, name), 'utf8').catch(() => null);
    if (text === null) return null;
    for (const line of linesOf(text)) {
      const other = another.exec(line)?.[1];
      if (other !== undefined)
        waiting.push(normalize(other.startsWith('/') ? other : join(dirname(name), other)));
      else if (!pinned.test(line)) return null;
    }
  }
  return [...found];
}

/** Without comments and empty ones; one that ends in a backslash goes on. */
function linesOf(text: string): readonly string[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n|\r/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}
