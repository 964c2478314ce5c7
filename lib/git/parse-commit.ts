import { isUtf8 } from 'node:buffer';
import type { CommitInfo } from '../domain/git-port.ts';
import type { ObjectId } from '../domain/ids.ts';

/** What `git rev-list` would tell of a commit; null where only git knows: other encodings, odd headers. */
export function parseCommit(oid: ObjectId, bytes: Buffer): CommitInfo | null {
  if (!isUtf8(bytes) || bytes.includes(0)) return null;
  const text = bytes.toString();
  const end = text.indexOf('\n\n');
  const header = text.slice(0, end);
  const found = /^tree ([0-9a-f]+)\n((?:parent [0-9a-f]+\n)*)author (.*) \d+ [+-]\d+\ncommitter /.exec(
    header,
  );
  const [, tree = '', parents = '', author = ''] = found ?? [];
  // The first line of the message follows one empty line; what else may stand there, git knows.
  if (end < 0 || text[end + 2] === '\n' || /^encoding /m.test(header)) return null;
  if (!/^[^<>\s](?:[^<>]*[^<>\s])? <[^<>\s]*>$/.test(author)) return null;
  return {
    oid,
    tree: tree as ObjectId,
    parents: [...parents.matchAll(/[0-9a-f]{40,}/g)].map(([parent]) => parent as ObjectId),
    author,
    message: text.slice(end + 2),
  };
}
