import { isUtf8 } from 'node:buffer';
import type { ObjectId } from '../../domain/ids.ts';
import type { CommitInfo } from '../../domain/ports/git-commits.ts';

const plainName = /^[^<>\s](?:[^<>]*[^<>\s])? <[^<>\s]*>$/;
const plainTime = /^(?:0|[1-9]\d{0,11})$/;

/** Parses a commit as `git rev-list` would report it; null where only git can: other encodings, odd headers. */
export function parseCommit(oid: ObjectId, bytes: Buffer): CommitInfo | null {
  if (!isUtf8(bytes) || bytes.includes(0)) return null;
  const text = bytes.toString();
  const end = text.indexOf('\n\n');
  const header = text.slice(0, end);
  const found =
    /^tree ([0-9a-f]+)\n((?:parent [0-9a-f]+\n)*)author (.*) (\d+) [+-]\d+\ncommitter (.*) (\d+) [+-]\d+(?:\n|$)/.exec(
      header,
    );
  const [, tree = '', parents = '', author = '', authored = '', committer = '', committed = ''] = found ?? [];
  // The first line of the message follows one empty line; what else may stand there, git knows.
  if (end < 0 || text[end + 2] === '\n' || /^encoding /m.test(header)) return null;
  if (![author, committer].every((name) => plainName.test(name))) return null;
  if (![authored, committed].every((time) => plainTime.test(time))) return null;
  return {
    oid,
    tree: tree as ObjectId,
    parents: [...parents.matchAll(/[0-9a-f]{40,}/g)].map(([parent]) => parent as ObjectId),
    author,
    committer,
    authored: Number(authored),
    committed: Number(committed),
    message: text.slice(end + 2),
  };
}
